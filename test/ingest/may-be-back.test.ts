import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openNights, type Nights } from "../support/nights.ts";

/** Ranks get a status where the path or a parameter has this, by whichever call. */
const goneAt = (contains: string, status = 404) =>
  ["ios.keyword-ranking", "ios.keyword-history"].map((operation) => ({
    operation,
    contains,
    times: 1_000_000,
    kind: "status" as const,
    status,
  }));
const market = { apps: 1, countries: ["US", "JP"], keywordsPerApp: 3 };
/** Listed, so that a night reads no list of the account. */
const portfolio = {
  source: "config" as const,
  apps: [{ id: 6446318020, countries: ["US", "JP"], keywords: ["plan", "habit tracker"] }],
};
const ofJapan = "dataset = 'keyword_rank' and scope ->> 'country' = 'JP'";

/** Syncs the next night; returns how the newest slices of Japan ended that are not loaded, by their first day. */
async function night({ next, stage, run }: Nights): Promise<Record<string, string>> {
  next();
  await stage.sync(run());
  const left = await stage.query<{ day: string; ended: string }>(
    `select window_start::text as day, state || ' ' || error_code as ended from ops.slice as s where ${ofJapan} and state <> 'loaded'
     and not exists (select from ops.slice as n where n.slice_id > s.slice_id and n.scope = s.scope and n.dataset = s.dataset and n.window_start = s.window_start)`,
  );
  return Object.fromEntries(left.map(({ day, ended }) => [day, ended]));
}

test("a list that is not found or refused although it was answered the day before fails, is requested again, and leaves no hole", async () => {
  await using nights = await openNights({ market }, { settings: { portfolio } });
  const { stage } = nights;
  await stage.sync(nights.run());
  expect(await night(nights)).toEqual({});
  stage.sandbox.set({ faults: goneAt("/JP/") });
  const first = nights.today();
  // the newest day may not be out yet: the next night requests it again
  expect(await night(nights)).toEqual({ [first]: "skipped not_found" });
  expect(await night(nights)).toEqual({ [first]: "failed not_found", [addDays(first, 1)]: "skipped not_found" });
  stage.sandbox.set({ faults: [] });
  await night(nights);
  expect(await night(nights)).toEqual({});
  const [days] = await stage.query<{ US: number; JP: number }>(`
    select count(distinct date_day) filter (where country_code = 'US')::int as "US", count(distinct date_day) filter (where country_code = 'JP')::int as "JP"
    from   core.fact_keyword_rank join core.dim_country using (country_key)`);
  expect(days?.JP).toBeGreaterThan(0);
  expect(days?.JP).toBe(days?.US);

  // a 404 of a day is final once the list is answered for other days
  const day = addDays(nights.today(), 1);
  stage.sandbox.set({ faults: goneAt(day) });
  for (const _ of [1, 2, 3]) await night(nights);
  expect(await night(nights)).toEqual({ [day]: "skipped not_found" });
  stage.sandbox.clearLog();
  await night(nights);
  expect(stage.requested().filter(({ status }) => status === 404)).toEqual([]);

  // a list that was accepted the day before is not taken apart for the one keyword that a 400 may be about
  stage.sandbox.set({ faults: goneAt("/JP/", 400) });
  const refused = nights.today();
  expect(await night(nights)).toMatchObject({ [refused]: "failed bad_request" });
  stage.sandbox.set({ faults: [] });
  expect(await night(nights)).toEqual({ [day]: "skipped not_found" });
  const pieces = `select from ops.slice where ${ofJapan} and window_start = '${refused}'`;
  expect(await stage.query(pieces)).toHaveLength(1);
});
