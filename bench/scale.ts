import { parseArgs } from "node:util";
import { print, remark } from "../src/cli/output.ts";
import { Settings } from "../src/config/settings.ts";
import { systemClock, type Clock } from "../src/core/clock.ts";
import { dayMs, type Day } from "../src/core/day.ts";
import { retire } from "../src/runs/retention.ts";
import { openWarehouse } from "../src/postgres/database.ts";
import { migrate } from "../src/postgres/migrate.ts";
import { machineOf } from "./machine.ts";
import { benchPlanner } from "./planner.ts";
import { openBenchPostgres, type BenchPostgres } from "./postgres.ts";
import { factBytes, fillFacts } from "./scale-facts.ts";
import { fillLedger } from "./scale-ledger.ts";
import { analystQuestions, answer, ledgerQuestions } from "./scale-questions.ts";
import { nightTable } from "./night-report.ts";
import { measureNight } from "./scale-night.ts";
import { measureQueue, type QueueFigures } from "./scale-queue.ts";
import { measureEngines } from "./scale-engines.ts";
import { engineTables } from "./scale-engine-report.ts";
import { measureMarts, type MartSize } from "./scale-marts.ts";
import { martPlans, martTable } from "./scale-mart-report.ts";
import { scaleTables, type LedgerFigures, type ScaleFound } from "./scale-report.ts";
import { accountOf, ranksOf, scaleSizes, slicesOf, today, type Account, type ScaleSize } from "./scale-size.ts";
import { markdown, plain } from "./table.ts";
import { timed } from "./stopwatch.ts";

/*
 * npm run bench:scale [-- --small] [-- --markdown] [-- --marts [--plans]] [-- --night] [-- --clickhouse [--ranks N]]
 *
 * A large account with two years in ledger, planner and facts, without HTTP: a part of it is generated in a separate Postgres, measured,
 * and extrapolated to the whole. The Postgres is removed afterwards. --marts measures only marts, over a small portfolio with long
 * histories and apps that were only seen; --plans prints the plan of each question. --night measures only the planning of one night, at
 * full size, with one worker and with two that share its shards. --clickhouse queries Postgres and a ClickHouse that the same rows were
 * published into, of N ranks; it ends with 1 where their answers differ.
 */

async function scale(size: ScaleSize): Promise<ScaleFound> {
  await using postgres = await openScaleWarehouse();
  const { db } = postgres.warehouse;
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
  const answered = await answer(analystQuestions(postgres.client), size.rounds);
  const bytes = await factBytes(postgres.client);
  const queues: QueueFigures[] = [];
  for (const depth of size.queued) {
    remark(`${depth.toLocaleString("en-US")} slices in the queue`);
    queues.push(await measureQueue(postgres.client, db, { depth, worked: size.worked }));
  }
  return {
    ledgers,
    planned: planned === undefined ? null : { account: pure(size), seconds: planned.seconds, peakMiB: planned.peakMiB },
    facts: { account, rows: facts.result, ms: facts.ms, bytes, answered },
    queues,
    machine: machineOf(postgres.version),
  };
}

/** The account for the planner without a database: every app of the smaller ledger. */
function pure({ ledgers: [{ apps, countries, keywords, days }] }: ScaleSize): Account {
  return { apps, countries, keywords, days };
}

/** Records the timings, as a planning process would. */
async function noteTiming({ client }: BenchPostgres): Promise<void> {
  await client.query(
    `insert into ops.dataset_timing (dataset, scope, is_default, kind, settle_days, lookback_days, history_days, empty_early_days)
     values ('keyword_rank', 'null', true, 'series', 1, 0, 30, 1)`,
  );
  await client.query("analyze ops.dataset_timing");
}

/** A clock on which a month passes from one retention to the next, so that each retention searches all months again. */
function asOf(day: Day): Clock {
  const monthMs = 31 * dayMs;
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

/** A Postgres with an empty warehouse in which today is a day of the synthetic account. */
async function openScaleWarehouse() {
  await using opened = new AsyncDisposableStack();
  const postgres = opened.use(await openBenchPostgres());
  await migrate(postgres.url);
  await postgres.client.query(`alter database bench set storehouse.today = '${today}'`);
  // the setting above applies only to later connections
  await postgres.client.query(`set storehouse.today = '${today}'`);
  const warehouse = opened.use(await openWarehouse(postgres.url, 4));
  const stack = opened.move();
  return { ...postgres, warehouse, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function marts(size: MartSize) {
  await using postgres = await openScaleWarehouse();
  await noteTiming(postgres);
  remark(
    `${ranksOf(size.account).toLocaleString("en-US")} ranks of ${size.account.apps} apps, beside ${size.strangers.toLocaleString("en-US")} others`,
  );
  const found = await measureMarts(postgres.client, postgres.warehouse.db, size);
  return { found, machine: machineOf(postgres.version) };
}

async function engines(size: MartSize) {
  await using postgres = await openScaleWarehouse();
  await noteTiming(postgres);
  remark(`${ranksOf(size.account).toLocaleString("en-US")} ranks in Postgres and in ClickHouse`);
  const found = await measureEngines(postgres.client, postgres.warehouse, { size, say: remark });
  return { found, machine: machineOf(postgres.version) };
}

const options = {
  small: { type: "boolean" },
  markdown: { type: "boolean" },
  marts: { type: "boolean" },
  plans: { type: "boolean" },
  night: { type: "boolean" },
  clickhouse: { type: "boolean" },
  ranks: { type: "string" },
} as const;
const { values } = parseArgs({ options });
const size = scaleSizes[values.small === true ? "small" : "full"];
const show = values.markdown === true ? markdown : plain;
if (values.night === true) {
  const found = await measureNight({ account: size.night, rounds: size.rounds }, remark);
  print([machineOf(found.version), "", show(nightTable(found))].join("\n"));
} else if (values.clickhouse === true) {
  const account = values.ranks === undefined ? size.engines : accountOf(values.ranks);
  const { found, machine } = await engines({ ...size.marts, account, rounds: size.rounds });
  print([machine, "", ...engineTables(found).map(show)].join("\n"));
  // for scripts: figures for different rows are meaningless
  if (found.answers.some(({ differs }) => differs !== null)) process.exitCode = 1;
} else if (values.marts === true) {
  const { found, machine } = await marts({ ...size.marts, rounds: size.rounds });
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
