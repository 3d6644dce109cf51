import { expect, test } from "vitest";
import { long } from "../support/long.ts";
import { openNights } from "../support/nights.ts";

test("a limit pays for tonight's snapshots before days that wait since the credits ran out", async () => {
  const run = {
    settings: {
      datasets: { app_rating: { on: true }, keyword_rank: { history_days: 20 } },
      credits: { floors: { snapshot: 0, daily: 0, lookback: 0, history: 0 } },
    },
  };
  const accounts = [{ token: "a-token-of-few-credits", total: 145, periodHours: 24 }];
  const market = { apps: 2, countries: ["US"], keywordsPerApp: 3 };
  await using nights = await openNights({ market, accounts }, run);
  const { stage } = nights;
  expect(await stage.sync(nights.run({ maxCredits: 500 }))).toMatchObject({ outcome: "deferred" });
  const waiting = "select class, count(*)::int as slices from ops.slice where state = 'deferred' group by 1";
  expect(await stage.query(waiting)).toEqual([{ class: "history", slices: 3 }]);
  nights.next();
  stage.sandbox.clearLog();
  // two of the waiting ones take as much
  await stage.sync(nights.run({ maxCredits: 20 }));
  expect(stage.requested().map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(["ios.app-simple", "android.app-simple", "ios.keyword-ranking", "android.keyword-ranking"]),
  );
  nights.next();
  // what the plan leaves of a limit pays for them
  await stage.sync(nights.run({ maxCredits: 500 }));
  expect(await stage.query("select from ops.slice where state not in ('loaded', 'empty')")).toEqual([]);
});

test("few credits pay for tonight's snapshots before days that wait since the credits ran out", async () => {
  const run = {
    settings: {
      datasets: { app_rating: { on: true }, keyword_rank: { history_days: long ? 300 : 120 } },
      credits: { floors: { snapshot: 0, daily: 0, lookback: 0, history: 0 } },
    },
  };
  const accounts = [{ token: "a-token-of-few-credits", total: 145, periodHours: 24 }];
  const market = { apps: 2, countries: ["US"], keywordsPerApp: 3 };
  await using nights = await openNights({ market, accounts }, run);
  const { stage } = nights;
  // days wait from the second night on
  for (let night = 0; night < (long ? 3 : 2); night += 1) {
    stage.sandbox.clearLog();
    expect(await stage.sync(nights.run())).toMatchObject({ outcome: "deferred" });
    expect(stage.requested().map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(["ios.app-simple", "android.app-simple"]),
    );
    nights.next();
  }
  expect(await stage.query("select from ops.slice where state = 'lost'")).toEqual([]);
});
