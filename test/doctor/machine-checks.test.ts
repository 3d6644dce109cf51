import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readCrontab } from "../../src/worker/crontab.ts";
import { checkSkew } from "../../src/doctor/database-checks.ts";
import { checkDisk } from "../../src/doctor/machine-checks.ts";
import { checkCrontab } from "../../src/doctor/schedule-checks.ts";
import { folderForTests } from "../support/folder.ts";

const folder = folderForTests();

function crontab(text: string) {
  const file = path.join(folder, "crontab");
  writeFileSync(file, text);
  return checkCrontab({ file, read: readCrontab });
}

describe("a crontab", () => {
  test.each([
    ["ok", "0 4 * * * plan_due ?max=3\n", "1 line in"],
    ["warn", "# nothing\n", "has no line"],
    ["fail", "0 4 * * * plan_deu\n", "line 1: unknown task plan_deu"],
    ["fail", '0 4 * * * plan_due {"datasets":["keyword_rnak"]}\n', "line 1: unknown dataset keyword_rnak"],
    ["fail", "# a comment\n99 4 * * * plan_due\n", "line 2"],
  ] as const)("is %s: %s", (state, text, found) => {
    expect(crontab(text)).toMatchObject({ state, found: expect.stringContaining(found) as string });
  });

  test("that is not there is named", () => {
    expect(checkCrontab({ file: path.join(folder, "none"), read: readCrontab })).toMatchObject({
      state: "fail",
      found: expect.stringContaining("names a file that does not exist") as string,
    });
  });
});

test("the disk of a folder that is still to be made is that of the folder above it", async () => {
  const { found } = await checkDisk(path.join(folder, "a", "b", "c"));
  expect(found).toMatch(/^\d+\.\d GiB free for .*\/a\/b\/c$/);
});

describe("another clock", () => {
  const other = { requestedAt: 1_000_000, answeredAt: 1_000_200, precisionMs: 0 };
  test.each([
    ["ok", 1_000_100],
    ["ok", 1_004_000],
    ["warn", 1_010_000],
    ["warn", 990_000],
    ["fail", 1_100_000],
    ["fail", 900_000],
  ] as const)("is %s at %i", (state, time) => {
    expect(checkSkew("it", { ...other, time }).state).toBe(state);
  });

  test("is no skew that a slow round trip or a resolution of one second explains", () => {
    expect(checkSkew("it", { requestedAt: 0, answeredAt: 20_000, time: 19_000, precisionMs: 1_000 }).state).toBe("ok");
  });
});
