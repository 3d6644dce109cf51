import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { dueTries } from "../../src/runs/queue-retries.ts";
import { planDue } from "../../src/runs/scheduled-run.ts";
import { today } from "../support/ingest-stage.ts";
import { openSyncedNights, type Nights } from "../support/nights.ts";

const day = (after: number) => addDays(today, after);

/** Nights of visibility, on an account whose credits are never reset. */
const spendable = {
  sandbox: {
    accounts: [{ token: "sandbox-token", total: 10_000, periodHours: 24 * 3_650 }],
    market: { apps: 1, countries: ["US"], keywordsPerApp: 1 },
  },
  settings: {
    datasets: {
      keyword_rank: { on: false },
      tracked_keyword: { on: false },
      visibility: { on: true, history_days: 3 },
    },
  },
};

/** A stage whose first night loaded all, and which has no credits from then on: only what is bought ends that. */
async function openSpent(): Promise<Nights> {
  const { sandbox, settings } = spendable;
  const nights = await openSyncedNights(sandbox, { settings });
  const { stage } = nights;
  stage.sandbox.spend(stage.sandbox.account().remaining);
  return nights;
}

/** What waits for its answer, the oldest days first. */
const waiting = ({ stage }: Nights) =>
  stage.query(`
    select window_start::text as start, window_end::text as end, class, (created_at at time zone 'UTC')::date::text as planned
    from   ops.slice where dataset = 'visibility' and state in ('pending', 'deferred') order by 1`);

/** The stretches of days that were requested since the log was cleared. */
const requested = ({ stage }: Nights) =>
  stage
    .requested()
    .filter(({ operation }) => operation === "ios.visibility-history")
    .map(({ params }) => [params["startDate"], params["endDate"]]);

test("days of nights without credits are one call once there are credits", async () => {
  await using nights = await openSpent();
  const { stage } = nights;
  for (let night = 1; night <= 2; night += 1) {
    nights.next();
    expect(await stage.sync(nights.run())).toMatchObject({ outcome: "deferred" });
  }
  expect(await waiting(nights)).toEqual([{ start: day(0), end: day(2), class: "daily", planned: day(1) }]);
  stage.sandbox.clearLog();
  stage.sandbox.spend(-10_000);
  expect(await stage.sync(nights.run())).toMatchObject({ outcome: "loaded" });
  expect(requested(nights)).toEqual([[day(0), day(2)]]);
  expect(await waiting(nights)).toEqual([]);
});

/** A night of the schedule of which no worker has run anything yet. */
async function plan(nights: Nights): Promise<void> {
  nights.next();
  await using app = await nights.stage.open(nights.run());
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  await planDue(ingest.parts, app.config.settings, ["visibility"]);
}

test("a scheduled run joins what waits of the same class, and changes nothing where it plans nothing or where that has failed", async () => {
  await using nights = await openSpent();
  const { stage } = nights;
  // first the account's lists, then the days that were missed meanwhile, then the next ones
  for (let night = 1; night <= 2; night += 1) await plan(nights);
  const missed = { start: day(0), end: day(2), class: "daily", planned: day(2) };
  expect(await waiting(nights)).toEqual([missed]);
  await stage.query("update ops.slice set class = 'history' where dataset = 'visibility' and state = 'pending'");
  missed.class = "history";
  for (let night = 3; night <= 4; night += 1) await plan(nights);
  const joined = { start: day(2), end: day(4), class: "daily", planned: day(3) };
  expect(await waiting(nights)).toEqual([missed, joined]);
  const rows = () => stage.query("select slice_id, xmin::text from ops.slice order by 1");
  const before = await rows();
  await using app = await stage.open(nights.run());
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  await planDue(ingest.parts, app.config.settings, ["visibility"]);
  expect(await rows()).toEqual(before);

  await stage.query("update ops.slice set failures = 1 where state = 'pending'");
  await plan(nights);
  expect(await waiting(nights)).toMatchObject([missed, joined, { start: day(4), end: day(5), planned: day(5) }]);
});

test("the newest day is loaded with the days of a missed night where no history may be requested", async () => {
  const { settings, sandbox } = spendable;
  const credits = { floors: { history: 0.9 } };
  await using nights = await openSyncedNights(sandbox, { settings: { ...settings, credits } });
  const { stage } = nights;
  stage.sandbox.spend(stage.sandbox.account().remaining - 5_000);
  for (let night = 1; night <= 2; night += 1) nights.next();
  stage.sandbox.clearLog();
  expect(await stage.sync(nights.run())).toMatchObject({ outcome: "loaded" });
  expect(requested(nights)).toEqual([[day(0), day(2)]]);
});

test("days that failed in nights of an outage are one call as well, at the price that is forecast", async () => {
  await using nights = await openSpent();
  const { stage } = nights;
  stage.sandbox.spend(-10_000);
  const visibility = ["ios.visibility-history", "android.visibility-history"];
  stage.sandbox.set({
    faults: visibility.map((operation) => ({ operation, times: 1_000, kind: "status", status: 500 })),
  });
  for (let night = 1; night <= 2; night += 1) {
    nights.next();
    expect(await stage.sync(nights.run())).toMatchObject({ outcome: "failed" });
  }
  stage.sandbox.set({ faults: [] });
  nights.next();
  await using app = await stage.open(nights.run());
  const which = { settings: app.config.settings, datasets: ["visibility"], mostCredits: Number.POSITIVE_INFINITY };
  const { tries } = await dueTries(app.warehouse.db, nights.clock, which);
  stage.sandbox.clearLog();
  expect(await stage.sync(nights.run())).toMatchObject({ outcome: "loaded" });
  expect(requested(nights)).toEqual([
    [day(0), day(2)],
    [day(2), day(3)],
  ]);
  expect(tries.map(({ credits }) => credits)).toEqual([10]);
  expect(await stage.query("select distinct state from ops.slice where dataset = 'visibility'")).toEqual([
    { state: "loaded" },
  ]);
});
