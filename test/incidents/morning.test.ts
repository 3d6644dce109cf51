import { expect, test } from "vitest";
import { readMorning } from "../../src/incidents/morning.ts";
import { draft, now } from "../support/ledger-stage.ts";
import { watchForTests } from "../support/watch-stage.ts";

const stage = watchForTests();

test("a dataset of which every slice was skipped does not count as loaded", async () => {
  const verdict = async () =>
    (await readMorning(stage.stage.db, { accountId: null, budgets: [], now })).verdict.text.replace(
      /, up to \S+;/,
      ";",
    );
  await stage.ended("skipped", draft({ dataset: "review" }), draft({ dataset: "app_rating" }));
  expect(await verdict()).toBe("Needs attention: nothing that was requested is available.");
  await stage.ended("loaded", draft({ dataset: "review", scope: { store: "ios", app: "2" } }));
  expect(await verdict()).toBe("All is well: 1 dataset is loaded; of 1 nothing is available.");
});
