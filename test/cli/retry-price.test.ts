import { expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { openSynced } from "../support/synced-stage.ts";

test("a retry says what it costs, and that it is a minimum where the number of pages of an answer is a guess", async () => {
  const settings = { datasets: { review: { on: true } } };
  await using stage = await openSynced({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } }, { settings });
  const priced = async (dataset: string) => {
    await stage.query("update ops.slice set state = 'failed', error_code = 'timeout' where dataset = $1", [dataset]);
    return (await runCommand(stage, ["retry", "--dry-run", "--dataset", dataset], { settings })).stdout;
  };
  expect(await priced("keyword_rank")).toMatch(/ slices?, \d+ credits?\. Nothing was spent; .*\n$/);
  const reviews = await priced("review");
  expect(reviews).toMatch(/ slices?, at least \d+ credits?\. Nothing was spent; /);
  expect(reviews).toContain("\nThe number of pages of an answer of review is a guess");
  // an option that retry does not have
  expect(reviews).not.toContain("--max-credits");
});
