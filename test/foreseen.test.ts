import { expect, test } from "vitest";
import type { App } from "../src/app.ts";
import { datasets } from "../src/datasets/shared/all.ts";
import { everythingOn } from "../src/demo/shows.ts";
import type { Fault } from "../src/sandbox/sandbox.ts";
import { sumOfTries } from "../src/ledger/later-tries.ts";
import { openWork } from "../src/ledger/open-slices.ts";
import { dueTries } from "../src/runs/later-tries.ts";
import { planned } from "./support/ingest-planned.ts";
import { long, seed } from "./support/long.ts";
import { faultsOf, openNights, type Nights } from "./support/nights.ts";

/** Nights after the first, which nobody can foresee: it is planned from what it finds. */
const nightsAfter = long ? 30 : 2;
/** Every so many nights some answers go wrong. */
const faultyEvery = long ? 3 : 2;
const faultsANight = 2;
/** An answer that is paid for and of no use, once read and once lost. */
const paidFaults: readonly Fault[] = [
  { operation: "ios.keyword-ranking", times: 1, kind: "not-json" },
  { operation: "ios.category-ranking", times: 1, kind: "half" },
];
const operations = ["ios.keyword-ranking", "ios.category-ranking", "android.keyword-ranking"];

const sumOf = (all: readonly { readonly credits: number }[]) => all.reduce((sum, { credits }) => sum + credits, 0);

/** What a sync of this night would cost, as `storehouse plan` adds it up: what is planned, what waits, and what is tried again. */
async function foresee(app: App, nights: Nights): Promise<number> {
  const { config, warehouse, clock } = app;
  const { db } = warehouse;
  const names = datasets.map(({ name }) => name);
  const chunks = await planned(app, { datasets: [], bounds: {}, today: nights.today() }, true);
  const most = { settings: config.settings, datasets: names, mostCredits: Number.POSITIVE_INFINITY };
  const { tries } = await dueTries(db, clock, most);
  return sumOf([...chunks.flatMap(({ slices }) => slices), ...(await openWork(db, names)), ...sumOfTries(tries)]);
}

async function foreseenBy(nights: Nights): Promise<number> {
  await using app = await nights.stage.open(nights.run());
  return await foresee(app, nights);
}

type Named = { readonly useless: number; readonly unanswered: number; readonly booked: number };

/** Since an instant (ms): what calls cost whose answer was of no use, what was planned and not answered, and what was booked in all. */
async function namedSince({ stage }: Nights, since: number): Promise<Named> {
  const [row] = await stage.query<Named>(
    `select coalesce(sum(q.cost) filter (where o.state not in ('loaded', 'empty') or o.attempt <> q.attempt), 0)::int as useless, coalesce(sum(q.cost), 0)::int as booked,
            (select coalesce(sum(s.planned_credits), 0)::int from ops.slice as s
             where  s.state not in ('loaded', 'empty') and exists (select from ops.request as r where r.slice_id = s.slice_id and r.received_at >= $1)) as unanswered
     from   ops.request as q left join ops.slice as o on o.slice_id = q.slice_id where q.received_at >= $1`,
    [new Date(since).toISOString()],
  );
  return row ?? { useless: 0, unanswered: 0, booked: 0 };
}

test("a night costs what was foreseen, with every dataset on; what differs is answers of no use, which are requested again", async () => {
  const market = { apps: 2, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 };
  const accounts = [{ token: "sandbox-token", total: 1_000_000, periodHours: 720 }];
  await using nights = await openNights({ market, accounts }, { settings: everythingOn });
  const { stage } = nights;
  await stage.sync(nights.run());
  const all = { foreseen: 0, charged: 0, useless: 0 };
  for (let night = 1; night <= nightsAfter; night += 1) {
    nights.next();
    stage.sandbox.clearLog();
    const since = nights.clock.now();
    const run = nights.run();
    const foreseen = await foreseenBy(nights);
    const faults =
      night % faultyEvery === 0 ? [...paidFaults, ...faultsOf(seed + night, faultsANight, operations)] : [];
    stage.sandbox.set({ faults });
    await stage.sync(run);
    const charged = stage.asked().reduce((sum, one) => sum + one.charged, 0);
    const { useless, unanswered, booked } = await namedSince(nights, since);
    const lost = charged - booked;
    expect({ night, charged }).toEqual({ night, charged: foreseen + useless + lost - unanswered });
    if (faults.length === 0)
      expect({ night, useless, lost, unanswered }).toEqual({ night, useless: 0, lost: 0, unanswered: 0 });
    all.foreseen += foreseen;
    all.charged += charged;
    all.useless += useless + lost;
  }
  expect(all.useless).toBeGreaterThan(0);
  expect(Math.abs(all.charged - all.foreseen) / all.charged).toBeLessThan(0.01);
});
