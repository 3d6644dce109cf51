import { expect, test } from "vitest";
import { must } from "../support/must.ts";
import { openNights } from "../support/nights.ts";

test("of snapshots that a limit does not pay for as a whole those come first each night that were requested longest ago", async () => {
  const settings = { datasets: { keyword_metadata: { on: true, refresh_days: 2 } } };
  await using nights = await openNights({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } }, { settings });
  const { stage } = nights;
  const sync = (dataset: string, maxCredits: number) =>
    stage.sync(nights.run({ maxCredits, request: { datasets: [dataset], today: nights.today() } }));
  await sync("tracked_keyword", 100);
  // the first night has its lists already, and pays for two keywords; each other one for its lists and one
  for (let night = 0; night < 3; night += 1) {
    await sync("keyword_metadata", 11);
    nights.next();
  }
  expect(
    await stage.query("select from ops.slice where dataset = 'keyword_metadata' and state = 'loaded' group by scope"),
  ).toHaveLength(4);
});

test("of snapshots that a limit does not pay for, one that was requested months ago comes after those that never were", async () => {
  const settings = { datasets: { keyword_metadata: { on: true, refresh_days: 2 } } };
  await using nights = await openNights({ market: { apps: 1, countries: ["US"], keywordsPerApp: 3 } }, { settings });
  const { stage } = nights;
  const sync = (dataset: string, maxCredits: number) =>
    stage.sync(nights.run({ maxCredits, request: { datasets: [dataset], today: nights.today() } }));
  await sync("tracked_keyword", 100);
  await sync("keyword_metadata", 5);
  for (let night = 0; night < 40; night += 1) nights.next();
  await sync("keyword_metadata", 11);
  expect(
    await stage.query("select from ops.slice where dataset = 'keyword_metadata' and state = 'loaded' group by scope"),
  ).toHaveLength(2);
});

test("a snapshot that failed and was lost since does not come first again", async () => {
  const settings = { datasets: { keyword_metadata: { on: true, refresh_days: 1 } } };
  await using nights = await openNights({ market: { apps: 1, countries: ["US"], keywordsPerApp: 3 } }, { settings });
  const { stage } = nights;
  const sync = (dataset: string, maxCredits: number) =>
    stage.sync(nights.run({ maxCredits, request: { datasets: [dataset], today: nights.today() } }));
  await sync("tracked_keyword", 100);
  // of another shape: it is charged, and no later try requests it
  const unreadable = { operation: "ios.keyword-metadata", kind: "status", status: 200, body: "7", times: 9 } as const;
  stage.sandbox.set({ faults: [unreadable] });
  await sync("keyword_metadata", 5);
  const [failed] = await stage.query<{ keyword: string }>(
    "select scope ->> 'keyword' as keyword from ops.slice where state = 'failed'",
  );
  stage.sandbox.set({ faults: [{ ...unreadable, contains: must(failed).keyword }] });
  for (let night = 1; night < 4; night += 1) {
    nights.next();
    await sync("keyword_metadata", 11);
  }
  expect(
    await stage.query("select from ops.slice where dataset = 'keyword_metadata' and state = 'loaded' group by scope"),
  ).toHaveLength(2);
});
