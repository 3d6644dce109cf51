import { chmod, chown, mkdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { prepareData, runTool } from "../../src/postgres/embedded/data-directory.ts";
import { embeddedPlace } from "../../src/postgres/embedded/place.ts";
import { readCompose } from "../support/compose-file.ts";
import { temporaryFolder } from "../support/folder.ts";

test("Postgres 18 makes its data with the arguments that docker-compose.yml gives it", async () => {
  using made = temporaryFolder();
  const { path: directory } = made;
  // root runs the tool as another user, who must get in
  await chmod(directory, 0o711);
  const place = await embeddedPlace(directory);
  await prepareData(place);
  const given = readCompose().file.services["postgres"]?.environment["POSTGRES_INITDB_ARGS"] ?? "";
  const data = `${place.data}-compose`;
  await mkdir(data, { mode: 0o700 });
  if (place.user !== undefined) await chown(data, place.user.uid, place.user.gid);
  const done = await runTool(place, "initdb", [`--pgdata=${data}`, "--no-sync", ...given.split(" ")]);
  const log = await readFile(place.log, "utf8");
  expect([done, log]).toEqual([true, expect.stringContaining("Success")]);
});
