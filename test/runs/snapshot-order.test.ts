import { expect, test } from "vitest";
import { openNights, type Nights } from "../support/nights.ts";

const none = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
const datasets = { app_history: { on: true }, app_rating: { on: true } };
const market = { apps: 2, countries: ["US"], keywordsPerApp: 2 };

/** Leaves so many credits to the account. */
function leave({ stage: { sandbox } }: Nights, credits: number): void {
  sandbox.spend(sandbox.account().remaining - credits);
}

const states = ({ stage }: Nights) =>
  stage.query<{ dataset: string; states: string[] }>(
    `select dataset, array_agg(distinct state order by state) as states from ops.slice
     where dataset in ('app_history', 'app_rating') group by 1 order by 1`,
  );

test("of snapshots those that exist tonight only are bought before those that can be requested tomorrow", async () => {
  await using nights = await openNights({ market }, { settings: { datasets, credits: { floors: none } } });
  const { stage } = nights;
  await stage.sync(nights.run({ request: { datasets: ["app_version"] } }));
  // enough for the page of one app and not for the ratings as well
  leave(nights, 6);
  await stage.sync(nights.run({ request: { datasets: ["app_history", "app_rating"] } }));
  expect(await states(nights)).toEqual([
    { dataset: "app_history", states: ["deferred"] },
    { dataset: "app_rating", states: ["loaded"] },
  ]);
});

test("what is kept for tonight is not spent on a snapshot that can be requested tomorrow, until its last day", async () => {
  const floors = { ...none, daily: 0.5 };
  await using nights = await openNights({ market }, { settings: { datasets, credits: { floors } } });
  const { stage } = nights;
  await stage.sync(nights.run({ request: { datasets: ["app_version"] } }));
  const buy = async () => {
    leave(nights, 60);
    await stage.sync(nights.run({ request: { datasets: ["app_history", "app_rating"] } }));
    return states(nights);
  };
  expect(await buy()).toEqual([
    { dataset: "app_history", states: ["deferred"] },
    { dataset: "app_rating", states: ["loaded"] },
  ]);
  for (let night = 0; night < 6; night += 1) nights.next();
  expect((await buy())[0]).toEqual({ dataset: "app_history", states: ["loaded"] });
});
