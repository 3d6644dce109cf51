import { expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { listedChange, priceOfListed } from "../../src/person/listed-keywords.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { freshDatabase } from "../support/database.ts";
import { quick } from "../support/ingest-stage.ts";
import { now, today } from "../support/slice-draft.ts";

const words = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name} ${index}`);

test("keywords that are added to calls with room for them cost the history of their own", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1);
  const clock = { now: () => now, today: () => today, sleep: () => Promise.resolve() };
  const settings = Settings.parse(
    quick({
      portfolio: { source: "config", apps: [{ id: "1459023318", countries: ["US"], keywords: words(60, "old") }] },
      datasets: { keyword_rank: { history_days: 90 } },
    }),
  );
  const priceOf = async (verb: "add" | "remove", named: readonly string[]) => {
    const change = listedChange(settings, { trackId: "1459023318", entry: 1 }, { verb, named });
    return change === null ? null : priceOfListed({ warehouse, clock }, change);
  };
  // a call of 100 keywords costs 3 credits a day
  expect(await priceOf("add", words(40, "new"))).toEqual({ before: 3, after: 3, first: 270 });
  expect(await priceOf("add", words(41, "new"))).toEqual({ before: 3, after: 6, first: 270 });
  expect(await priceOf("remove", words(40, "old"))).toEqual({ before: 3, after: 3, first: 0 });
});
