import { expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { openSynced } from "../support/synced-stage.ts";

test("a retry costs what it says at most, and at least where the number of pages of an answer is a guess", async () => {
  const settings = { datasets: { review: { on: true } } };
  await using stage = await openSynced({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } }, { settings });
  const priced = async (dataset: string) => {
    await stage.query("update ops.slice set state = 'failed', error_code = 'timeout' where dataset = $1", [dataset]);
    return (await runCommand(stage, ["retry", "--dry-run", "--dataset", dataset], { settings })).stdout;
  };
  expect(await priced("keyword_rank")).toMatch(/ slices?, \d+ credits? at most\. Nothing was spent; .*\n$/);
  const reviews = await priced("review");
  expect(reviews).toMatch(/ slices?, \d+ credits? at least\. Nothing was spent; /);
  expect(reviews).toContain("\nThe number of pages of an answer of review is a guess");
});
