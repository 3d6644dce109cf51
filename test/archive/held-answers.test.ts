import { expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { answerWith, current, openListed, syncAfter } from "../support/held-stage.ts";

const empty = { success: true, data: [] };

test("a held answer is not requested again by a retry of what was skipped, which names the command that applies it", async () => {
  await using stage = await openListed();
  answerWith(stage, empty);
  await syncAfter(stage, 0);
  stage.sandbox.clearLog();
  for (const more of [["--dry-run"], []])
    expect(await runCommand(stage, ["retry", "--skipped", ...more])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing to retry.* 1 answer is held: .*`storehouse held --apply` applies it\./),
    });
  expect(stage.requested()).toEqual([]);
  expect(await current(stage)).toBe(4);
  expect(await stage.query("select state from ops.slice where error_code is not null")).toEqual([{ state: "skipped" }]);
});
