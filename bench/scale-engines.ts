import type pg from "pg";
import type { Warehouse } from "../src/postgres/database.ts";
import { readRelations } from "../src/postgres/relations.ts";
import { openClickHouse, type ClickHouse } from "../src/publish/clickhouse.ts";
import { martViews } from "../src/publish/mart-views.ts";
import { publish } from "../src/publish/publish.ts";
import { openClickHouseStage } from "../test/support/clickhouse-stage.ts";
import { ownCpuSince, postgresCpu } from "./cpu.ts";
import { differenceOf, inClickHouse, rowsToRead, scannedRows } from "./scale-engine-rows.ts";
import { factBytes } from "./scale-facts.ts";
import { martQuestions, type MartQuestion } from "./scale-mart-questions.ts";
import { time } from "./scale-mart-report.ts";
import { fillMarts, type MartSize } from "./scale-marts.ts";
import { spreadOf } from "./statistics.ts";
import { timed } from "./stopwatch.ts";

/** The effort of a database for a question: the median time in ms, and the rows that its plan reads. */
type Effort = { readonly ms: number; readonly scanned: number };

/** A question in both databases; `differs` names the difference between their answers. */
type EngineAnswer = {
  readonly name: string;
  readonly postgres: Effort;
  readonly clickHouse: Effort;
  readonly returned: number;
  readonly differs: string | null;
};

/** The same ranks in both, and what was queried in them. */
export type EngineFigures = {
  readonly size: MartSize;
  readonly ranks: number;
  readonly clickHouseVersion: string;
  readonly publishedMs: number;
  /** Processor time of publishing in ms, which other programs on the machine do not lengthen; ClickHouse is in this process. */
  readonly publishedCpu: { readonly own: number; readonly postgres: number };
  readonly bytes: { readonly postgres: number; readonly clickHouse: number };
  readonly answers: readonly EngineAnswer[];
};

type Both = { readonly client: pg.Client; readonly clickHouse: ClickHouse };

/**
 * Fills an empty warehouse, publishes it like the command `publish` into a ClickHouse in this process, and runs the queries of dashboards
 * in both in turn, each over a connection on loopback that reads every row of the answer.
 */
export async function measureEngines(
  client: pg.Client,
  warehouse: Warehouse,
  { size, say }: { readonly size: MartSize; readonly say: (text: string) => void },
): Promise<EngineFigures> {
  await using there = await openClickHouseStage();
  const environment = {
    CLICKHOUSE_URL: there.url,
    CLICKHOUSE_USER: there.user,
    CLICKHOUSE_PASSWORD: there.password,
    LOG_LEVEL: "silent",
  } as const;
  await using clickHouse = openClickHouse({ environment });
  const ranks = await fillMarts(client, warehouse.db, size);
  await client.query("vacuum analyze");
  const questions = martQuestions(size.account);
  say("publishing");
  const only = await readBy(warehouse, questions);
  const before = { own: process.cpuUsage(), postgres: await postgresCpu(client) };
  const { ms: publishedMs } = await timed(() => publish(warehouse, clickHouse, { now: () => 0, only }));
  const publishedCpu = { own: ownCpuSince(before.own), postgres: (await postgresCpu(client)) - before.postgres };
  say("questions");
  const answers: EngineAnswer[] = [];
  for (const question of questions) {
    const answer = await askBoth({ client, clickHouse }, question, size.rounds);
    // a run over many ranks takes long, and an error in it would not name the question
    say(`${question.name}: ${time(answer.postgres.ms)} and ${time(answer.clickHouse.ms)}`);
    answers.push(answer);
  }
  const [found] = await clickHouse.ask<{ version: string; bytes: string }>(
    "select version() as version, toString(sum(bytes_on_disk)) as bytes from system.parts where active and database = 'core' and table = 'fact_keyword_rank'",
  );
  return {
    size,
    ranks,
    clickHouseVersion: found?.version ?? "",
    publishedMs,
    publishedCpu,
    bytes: { postgres: await factBytes(client), clickHouse: Number(found?.bytes) },
    answers,
  };
}

/** Everything except marts that no question reads. */
async function readBy({ db }: Warehouse, questions: readonly MartQuestion[]): Promise<readonly string[]> {
  const read = new Set(questions.flatMap(({ query }) => query.match(/\bmart\.\w+/g) ?? []));
  // each view is after those that it reads
  for (const { mart, reads } of martViews().toReversed()) if (read.has(mart)) reads.forEach((name) => read.add(name));
  const relations = await readRelations(db);
  return relations.filter(({ schema, name }) => schema !== "mart" || read.has(name)).map(({ name }) => name);
}

async function askBoth({ client, clickHouse }: Both, question: MartQuestion, rounds: number): Promise<EngineAnswer> {
  const { name, query } = question;
  const there = inClickHouse(query);
  const [ours, theirs]: [number[], number[]] = [[], []];
  let returned = { postgres: 0, clickHouse: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const here = await timed(() => client.query(query));
    const other = await timed(() => clickHouse.ask(there));
    ours.push(here.ms);
    theirs.push(other.ms);
    returned = { postgres: here.result.rows.length, clickHouse: other.result.length };
  }
  return {
    name,
    postgres: { ms: spreadOf(ours).median, scanned: await scannedRows(client, query) },
    clickHouse: { ms: spreadOf(theirs).median, scanned: await rowsToRead(clickHouse, there) },
    returned: returned.postgres,
    differs:
      returned.postgres === returned.clickHouse ? await differenceOf(client, clickHouse, query) : "rows returned",
  };
}
