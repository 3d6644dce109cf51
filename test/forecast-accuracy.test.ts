import { expect, test } from "vitest";
import type { App } from "../src/app.ts";
import { accountIdOf } from "../src/config/config.ts";
import type { ForecastError } from "../src/credits/forecast-error.ts";
import { datasets } from "../src/datasets/shared/all.ts";
import { everythingOn } from "../src/demo/shows.ts";
import type { Fault } from "../src/sandbox/sandbox.ts";
import { readCreditForecast } from "../src/incidents/credit-forecast.ts";
import { openWork } from "../src/ledger/open-slices.ts";
import { dueTries } from "../src/runs/queue-retries.ts";
import { currentForecast } from "../src/worker/forecast-credits.ts";
import { planned } from "./support/ingest-planned.ts";
import { long, monthMs, seed } from "./support/long.ts";
import { faultsOf, openNights, type Nights } from "./support/nights.ts";

/** Nights after the first, which nobody can forecast: it is planned from what it finds. */
const nightsAfter = long ? 30 : 1;
/** What is before these days costs the night none of the credits that are forecast. */
const fewDays = 14;
const settings = {
  datasets: Object.fromEntries(
    datasets.map(({ name, timing }) => [
      name,
      {
        ...everythingOn.datasets[name],
        ...(timing.kind === "series" && !long && { history_days: Math.min(timing.historyDays, fewDays) }),
      },
    ]),
  ),
};
/** Every so many nights some answers go wrong. */
const faultyEvery = long ? 3 : 1;
const faultsANight = 2;
/** An answer that is paid for and of no use, once read and once lost. */
const paidFaults: readonly Fault[] = [
  { operation: "ios.keyword-ranking", times: 1, kind: "not-json" },
  { operation: "ios.category-ranking", times: 1, kind: "half" },
];
const operations = ["ios.keyword-ranking", "ios.category-ranking", "android.keyword-ranking"];

const sumOf = (all: readonly { readonly credits: number }[]) => all.reduce((sum, { credits }) => sum + credits, 0);

/** Credits of a night: what a sync would plan, and what it finds waiting. */
type RunForecast = { readonly planned: number; readonly waiting: number };

/** What a sync of this night would cost, as `storehouse plan` adds it up: what is planned, what waits, and what is tried again. */
async function forecast(app: App, nights: Nights): Promise<RunForecast> {
  const { config, warehouse, clock } = app;
  const { db } = warehouse;
  const names = datasets.map(({ name }) => name);
  const chunks = await planned(app, { datasets: [], bounds: {}, today: nights.today() }, true);
  const most = { settings: config.settings, datasets: names, mostCredits: Number.POSITIVE_INFINITY };
  const { tries } = await dueTries(db, clock, most);
  const waiting = sumOf([...(await openWork(db, { datasets: names, account: "" })), ...tries]);
  return { planned: sumOf(chunks.flatMap(({ slices }) => slices)), waiting };
}

/** Forecasts the nights to come as a worker does after it has planned. */
async function forecastAhead(nights: Nights): Promise<void> {
  await using app = await nights.stage.open(nights.run());
  await currentForecast(app);
}

/** How well nights were forecast the day before. */
async function errorAhead(nights: Nights): Promise<ForecastError> {
  await using app = await nights.stage.open(nights.run());
  const accountId = accountIdOf(nights.stage.sandbox.token);
  const parts = { db: app.warehouse.db, settings: app.config.settings, clock: app.clock, accountId };
  return (await readCreditForecast(parts, [])).error;
}

async function forecastBy(nights: Nights): Promise<RunForecast> {
  await using app = await nights.stage.open(nights.run());
  return await forecast(app, nights);
}

/** Credits since an instant (ms), each of which is the name of a difference between what was forecast and what was charged. */
type Named = {
  /** Charged for an answer that was of no use: its slice was requested again, or failed. */
  readonly useless: number;
  /** Planned and not answered. */
  readonly unanswered: number;
  /** Planned only when other answers of the night were in: a new version of an app is requested in the night that finds it. */
  readonly queued: number;
  /** Pages that an answer had beyond those of the last ones. */
  readonly pages: number;
  /** Charged, as the ledger has it. What it lacks of what the service charged is calls without a reply. */
  readonly booked: number;
};

async function namedSince({ stage }: Nights, since: number): Promise<Named> {
  const [row] = await stage.query<Named>(
    `select coalesce(sum(q.cost) filter (where o.state not in ('loaded', 'empty') or o.attempt <> q.attempt), 0)::int as useless, coalesce(sum(q.cost), 0)::int as booked,
            (select coalesce(sum(s.planned_credits), 0)::int from ops.slice as s
             where  s.state not in ('loaded', 'empty') and exists (select from ops.request as r where r.slice_id = s.slice_id and r.received_at >= $1)) as unanswered,
            (select coalesce(sum(planned_credits), 0)::int from ops.run where started_at >= $1) as queued,
            (select coalesce(sum(planned_credits), 0)::int from ops.slice where created_at >= $1)
            - (select coalesce(sum(planned_credits), 0)::int from ops.run where started_at >= $1) as pages
     from   ops.request as q left join ops.slice as o on o.slice_id = q.slice_id where q.received_at >= $1`,
    [new Date(since).toISOString()],
  );
  return row ?? { useless: 0, unanswered: 0, queued: 0, pages: 0, booked: 0 };
}

test(
  "a night costs what was forecast, with every dataset on; what differs is answers of no use, which are requested again",
  { timeout: monthMs },
  async () => {
    const market = { apps: 2, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 };
    const accounts = [{ token: "sandbox-token", total: 1_000_000, periodHours: 720 }];
    await using nights = await openNights({ market, accounts }, { settings });
    const { stage } = nights;
    await stage.sync(nights.run());
    const all = { forecastCost: 0, charged: 0, found: 0, pages: 0, useless: 0, lost: 0, unanswered: 0 };
    for (let night = 1; night <= nightsAfter; night += 1) {
      if (long) await forecastAhead(nights);
      nights.next();
      stage.sandbox.clearLog();
      const since = nights.clock.now();
      const run = nights.run();
      const forecastCost = await forecastBy(nights);
      const faults =
        night % faultyEvery === 0 ? [...paidFaults, ...faultsOf(seed + night, faultsANight, operations)] : [];
      stage.sandbox.set({ faults });
      await stage.sync(run);
      const charged = stage.requested().reduce((sum, one) => sum + one.charged, 0);
      const { useless, unanswered, queued, pages, booked } = await namedSince(nights, since);
      const named = {
        found: queued - forecastCost.planned,
        pages,
        useless,
        lost: charged - booked,
        unanswered: 0 - unanswered,
      };
      const sum = { forecastCost: forecastCost.planned + forecastCost.waiting, ...named };
      expect({ night, charged }).toEqual({ night, charged: Object.values(sum).reduce((total, one) => total + one, 0) });
      if (faults.length === 0) expect({ night, ...named }).toMatchObject({ night, useless: 0, lost: 0, unanswered: 0 });
      all.charged += charged;
      for (const [name, credits] of Object.entries(sum)) all[name as keyof typeof sum] += credits;
    }
    expect(all.useless + all.lost).toBeGreaterThan(0);
    expect(all, "more than 1 % differs").toSatisfy(
      ({ forecastCost, charged }: typeof all) => Math.abs(charged - forecastCost) < charged / 100,
    );
    if (!long) return;
    nights.next();
    const ahead = await errorAhead(nights);
    process.stdout.write(
      `forecast and charged in ${nightsAfter} nights: ${JSON.stringify(all)}\nthe day before: ${JSON.stringify(ahead)}\n`,
    );
    expect(Math.abs(ahead.percent ?? 100), "more than 1 % differs from the day before").toBeLessThan(1);
  },
);
