import { parseArgs } from "node:util";
import { print, remark } from "../src/cli/output.ts";
import { Settings } from "../src/config/settings.ts";
import { systemClock, type Clock } from "../src/core/clock.ts";
import type { Day } from "../src/core/day.ts";
import { retire } from "../src/runs/retention.ts";
import { openWarehouse } from "../src/postgres/database.ts";
import { migrate } from "../src/postgres/migrate.ts";
import { machineOf } from "./machine.ts";
import { benchPlanner } from "./planner.ts";
import { openBenchPostgres, type BenchPostgres } from "./postgres.ts";
import { fillFacts } from "./scale-facts.ts";
import { fillLedger } from "./scale-ledger.ts";
import { analystQuestions, answer, ledgerQuestions } from "./scale-questions.ts";
import { measureNight, nightTable } from "./scale-night.ts";
import { measureQueue, type QueueFigures } from "./scale-queue.ts";
import { measureMarts } from "./scale-marts.ts";
import { martPlans, martTable } from "./scale-mart-report.ts";
import { scaleTables, type LedgerFigures, type ScaleFound } from "./scale-report.ts";
import { ranksOf, scaleSizes, slicesOf, today, type Account, type ScaleSize } from "./scale-size.ts";
import { markdown, plain } from "./table.ts";
import { timed } from "./stopwatch.ts";

/*
 * npm run bench:scale [-- --small] [-- --markdown] [-- --marts [--plans]] [-- --night]
 *
 * A large account of two years in ledger, planner and facts, without HTTP: a part of it is made up in a Postgres of its own, measured,
 * and worked out for the whole. The Postgres is gone afterwards. --marts measures marts alone, over a small portfolio with long histories
 * beside apps that were only seen; --plans prints the plan of each of their questions. --night measures the planning of one night alone, at the
 * full size.
 */

async function scale(size: ScaleSize): Promise<ScaleFound> {
  await using postgres = await openBenchPostgres();
  await migrate(postgres.url);
  // a day of the made-up account is today
  await postgres.client.query(`alter database bench set storehouse.today = '${today}'`);
  await using warehouse = await openWarehouse(postgres.url, 4);
  const { db } = warehouse;
  const settings = Settings.parse({});
  const ledgers: LedgerFigures[] = [];
  let apps = 0;
  for (const account of size.ledgers) {
    remark(`a ledger of ${slicesOf(account).toLocaleString("en-US")} slices`);
    if (ledgers.length === 0) await noteTiming(postgres);
    const retain = (day: Day) => retire(db, { settings, clock: asOf(day), action: "drop" });
    const made = await timed(() => fillLedger(postgres.client, { account, fromApp: apps, retain }));
    apps = account.apps;
    ledgers.push({
      account,
      madeMs: made.ms,
      slices: slicesOf(account),
      ...(await sizesOf(postgres)),
      answered: await answer(ledgerQuestions(db, settings, account), size.rounds),
    });
  }
  remark("the planner alone");
  const [planned] = await benchPlanner(pure(size), [0.01]);
  const account: Account = { ...size.ledgers[1], apps: size.factApps };
  remark("facts");
  const facts = await timed(() => fillFacts(postgres.client, db, account));
  const asked = await answer(analystQuestions(postgres.client), size.rounds);
  const bytes = await factBytes(postgres);
  const queues: QueueFigures[] = [];
  for (const depth of size.queued) {
    remark(`${depth.toLocaleString("en-US")} slices in the queue`);
    queues.push(await measureQueue(postgres.client, db, { depth, worked: size.worked }));
  }
  return {
    ledgers,
    planned: planned === undefined ? null : { account: pure(size), seconds: planned.seconds, peakMiB: planned.peakMiB },
    facts: { account, rows: facts.result, ms: facts.ms, bytes, answered: asked },
    queues,
    machine: machineOf(postgres.version),
  };
}

/** The planner alone goes over every app of the smaller ledger. */
function pure({ ledgers: [{ apps, countries, keywords, days }] }: ScaleSize): Account {
  return { apps, countries, keywords, days };
}

/** What a process that plans would have noted. */
async function noteTiming({ client }: BenchPostgres): Promise<void> {
  await client.query(
    `insert into ops.dataset_timing (dataset, scope, is_default, kind, settle_days, lookback_days, history_days, empty_early_days)
     values ('keyword_rank', 'null', true, 'series', 1, 0, 30, 1)`,
  );
  await client.query("analyze ops.dataset_timing");
}

/** A clock on which a month passes from one look to the next, so that each retention searches all months again. */
function asOf(day: Day): Clock {
  const monthMs = 31 * 86_400_000;
  retentions += 1;
  return { ...systemClock(), now: () => retentions * monthMs, today: () => day };
}
let retentions = 0;

async function sizesOf({
  client,
}: BenchPostgres): Promise<Pick<LedgerFigures, "rows" | "sliceBytes" | "requestBytes">> {
  const { rows } = await client.query<{ slices: number; slice_bytes: number; request_bytes: number }>(
    `select (select count(*) from ops.slice)::float8 as slices, pg_total_relation_size('ops.slice')::float8 as slice_bytes,
            (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'ops.request'::regclass)::float8 + pg_total_relation_size('ops.past_spend') as request_bytes`,
  );
  const [row] = rows;
  return { rows: row?.slices ?? 0, sliceBytes: row?.slice_bytes ?? 0, requestBytes: row?.request_bytes ?? 0 };
}

async function factBytes({ client }: BenchPostgres): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits where inhparent = 'core.fact_keyword_rank'::regclass`,
  );
  return rows[0]?.bytes ?? 0;
}

async function marts({ marts: { account, strangers }, rounds }: ScaleSize) {
  await using postgres = await openBenchPostgres();
  await migrate(postgres.url);
  await postgres.client.query(`alter database bench set storehouse.today = '${today}'`);
  await using warehouse = await openWarehouse(postgres.url, 4);
  await noteTiming(postgres);
  remark(
    `${ranksOf(account).toLocaleString("en-US")} ranks of ${account.apps} apps, beside ${strangers.toLocaleString("en-US")} others`,
  );
  const found = await measureMarts(postgres.client, warehouse.db, { account, strangers, rounds });
  return { found, machine: machineOf(postgres.version) };
}

const options = {
  small: { type: "boolean" },
  markdown: { type: "boolean" },
  marts: { type: "boolean" },
  plans: { type: "boolean" },
  night: { type: "boolean" },
} as const;
const { values } = parseArgs({ options });
const size = scaleSizes[values.small === true ? "small" : "full"];
const show = values.markdown === true ? markdown : plain;
if (values.night === true) {
  const found = await measureNight({ account: size.night, rounds: size.rounds }, remark);
  print([machineOf(found.version), "", show(nightTable(found))].join("\n"));
} else if (values.marts === true) {
  const { found, machine } = await marts(size);
  print(
    [
      machine,
      "",
      show(martTable(found)),
      ...(values.plans === true ? martPlans(found, values.markdown === true) : []),
    ].join("\n"),
  );
} else {
  const found = await scale(size);
  print([found.machine, "", ...scaleTables(found).map(show)].join("\n"));
}
