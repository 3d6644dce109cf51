import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";

const useMany = `
  import { writeFile } from "node:fs/promises";
  import { openWorkFolder } from ${JSON.stringify(new URL("../../src/export/work-folder.ts", import.meta.url))};
  for (let turn = 0; turn < 150; turn++) {
    await using opened = await openWorkFolder("storehouse-test-");
    await writeFile(opened.work + "/rows", "1");
  }`;

test("processes that make, use and remove folders at the same time do not disturb each other, and leave none", async () => {
  using folder = temporaryFolder();
  const run = () =>
    promisify(execFile)(process.execPath, ["--input-type=module", "--eval", useMany], {
      env: { ...process.env, TMPDIR: folder.path },
    });
  await Promise.all([run(), run(), run(), run()]);
  expect(await readdir(folder.path)).toEqual([]);
});
