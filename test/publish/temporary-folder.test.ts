import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lockFileNow } from "../../src/postgres/embedded/file-lock.ts";
import { enginePath, leftOut } from "../support/clickhouse-engine.ts";
import { runCommand } from "../support/command.ts";
import { startChild } from "../support/ingest-child.ts";
import { openPublishStage, ranks, type PublishStage } from "../support/publish-stage.ts";

describe.skipIf(enginePath === null)(`the temporary folder of a publication${leftOut}`, () => {
  let on: PublishStage;
  let folder: string;
  beforeEach(async () => {
    on = await openPublishStage();
    folder = await mkdtemp(path.join(tmpdir(), "storehouse-test-"));
    await on.stage.ranks("2026-04-01", 3);
  });
  afterEach(async () => {
    await on[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  const behind = () => ({ databaseUrl: on.stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } });
  const variables = () => ({ ...on.environment, TMPDIR: folder });
  const command = ["publish", "--table", ranks];

  test("goes with the next publication if the process was killed, and not while another one uses it", async () => {
    const loading = Promise.withResolvers<void>();
    const killed = Promise.withResolvers<void>();
    on.there.onLoaded = () => {
      loading.resolve();
      return killed.promise;
    };
    await using child = startChild(behind(), command, { variables: variables() });
    await loading.promise;
    child.process.kill("SIGKILL");
    expect(await child.ended).toBe("SIGKILL");
    on.there.onLoaded = () => Promise.resolve();
    killed.resolve();
    const left = await readdir(folder);
    expect(left).toEqual([expect.stringMatching(/^storehouse-publish-/)]);
    await mkdir(path.join(folder, "storehouse-publish-used"));
    using used = lockFileNow(path.join(folder, "storehouse-publish-used", "lock"));
    expect(used).not.toBeNull();
    await mkdir(path.join(folder, "storehouse-publish-foreign"));
    expect(await runCommand(behind(), command, { variables: variables() })).toMatchObject({ code: 0 });
    expect(await readdir(folder)).toEqual(["storehouse-publish-foreign", "storehouse-publish-used"]);
  });

  test("is not needed to find that another publication is under way", async () => {
    const client = await on.stage.pool.connect();
    await client.query("select pg_advisory_lock(hashtext('storehouse publish'))");
    const { code, stderr } = await runCommand(behind(), command, {
      variables: { ...variables(), TMPDIR: path.join(folder, "missing") },
    });
    client.release(true);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^publish_under_way: /) });
  });

  test("that cannot be made, or not be written any more, is named with the setting", async () => {
    const missing = path.join(folder, "missing");
    const problem = (where: string, cause: string) =>
      new RegExp(`^unusable_temporary_folder: .*${where} cannot be written: ${cause}; set TMPDIR to .*\n$`);
    const ended = await runCommand(behind(), command, { variables: { ...variables(), TMPDIR: missing } });
    expect(ended).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(problem(missing, "ENOENT")) });
    on.there.onLoaded = async () => {
      const [work = ""] = await readdir(folder);
      await mkdir(path.join(folder, work, "rows.csv"));
    };
    const tables = ["publish", "--table", "core.dim_country", "--table", "core.dim_device"];
    const { code, stderr } = await runCommand(behind(), tables, { variables: variables() });
    const last = `${stderr.trim().split("\n").at(-1)}\n`;
    expect({ code, last }).toEqual({ code: 2, last: expect.stringMatching(problem(folder, "EISDIR")) });
    expect(await readdir(folder)).toEqual([]);
  });
});
