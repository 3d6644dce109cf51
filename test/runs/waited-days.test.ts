import { expect, test } from "vitest";
import { repeats } from "../support/ingest-witness.ts";
import { openNights } from "../support/nights.ts";

test("days that waited for credits and that a source restates are requested once on the day that has the credits", async () => {
  const account = { token: "sandbox-token", total: 130, periodHours: 72 };
  const settings = { datasets: { keyword_rank: { history_days: 6, lookback_days: 6 } } };
  await using nights = await openNights(
    { accounts: [account], market: { apps: 2, countries: ["US"], keywordsPerApp: 3 } },
    { settings },
  );
  const { stage } = nights;
  expect(await stage.sync(nights.run())).toMatchObject({ outcome: "deferred" });
  const left = () => stage.sandbox.account().remaining;
  account.total = 10_000;
  for (const before = left(); left() <= before;) nights.next();
  stage.sandbox.clearLog();
  expect(await stage.sync(nights.run())).toMatchObject({ outcome: "loaded" });
  expect(stage.requested().length).toBeGreaterThan(5);
  expect(repeats(stage.requested())).toEqual([]);
});
