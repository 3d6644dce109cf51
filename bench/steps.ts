import type pg from "pg";

/** What one step costs the database. */
export type StepCost = {
  readonly step: string;
  readonly statements: number;
  /** Time of planning and execution, in ms. */
  readonly ms: number;
  readonly walBytes: number;
};

/** The words that identify the statements of a step; the first match counts. */
const steps: readonly (readonly [step: string, words: RegExp])[] = [
  ["claim slices", /set state = \$\d+, attempt = s?\.?attempt \+/],
  ["hold credits", /insert into ops\.credit_hold/],
  ["store answers, settle holds", /insert into raw\.answer/],
  ["end unchanged slices", /answer_digest = decode\((t\.)?digest/],
  ["end slices", /set\s+state = e\.state/],
  ["load ranks", /"core"\."fact_keyword_rank"/],
  ["begin, settings, commit", /^(begin|commit|select set_config)/],
  ["count progress", /from\s+ops\.(slice where run_id|run\s+as r\s+join\s+ops\.request)/],
];
const rest = "everything else, including planning";

/** Starts to count statements. This slows the work down a little, so no times are measured meanwhile. */
export async function countSteps(client: pg.Client): Promise<void> {
  await client.query("create extension if not exists pg_stat_statements");
  await track(client, "top");
  await client.query("select pg_stat_statements_reset()");
}

/** Stops counting and returns the costs by step. */
export async function countedSteps(client: pg.Client): Promise<readonly StepCost[]> {
  await track(client, "none");
  const { rows } = await client.query<{ query: string; calls: number; ms: number; wal: number }>(`
    select query, calls::float8 as calls, total_exec_time + total_plan_time as ms, wal_bytes::float8 as wal
    from   pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`);
  const found = Map.groupBy(rows, ({ query }) => steps.find(([, words]) => words.test(query.trimStart()))?.[0] ?? rest);
  return [...steps.map(([step]) => step), rest].map((step) => {
    const of = found.get(step) ?? [];
    return {
      step,
      statements: of.reduce((sum, { calls }) => sum + calls, 0),
      ms: of.reduce((sum, { ms }) => sum + ms, 0),
      walBytes: of.reduce((sum, { wal }) => sum + wal, 0),
    };
  });
}

async function track(client: pg.Client, which: "top" | "none"): Promise<void> {
  await client.query(`alter system set pg_stat_statements.track = '${which}'`);
  await client.query(`alter system set pg_stat_statements.track_planning = on`);
  await client.query("select pg_reload_conf()");
}
