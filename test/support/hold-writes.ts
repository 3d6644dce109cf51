import pg from "pg";
import type { Stage } from "./ingest-stage.ts";

/** Lets who writes a row of a table wait for a session of the test. */
export type HeldWrites = AsyncDisposable & {
  /** The sessions that wait for it. */
  readonly waiting: () => Promise<readonly { readonly pid: number }[]>;
  /** The sessions that wait for one of those. */
  readonly waitingBehind: () => Promise<readonly { readonly pid: number }[]>;
};

/** Holds writes until it is disposed of, so that a rebuild stops when it has cleared the table and not filled it yet. */
export async function holdWrites(
  stage: Pick<Stage, "databaseUrl" | "query">,
  table: string,
  events = "insert or update",
): Promise<HeldWrites> {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid, pg_advisory_lock(1)");
  await client.query(`
    create function public.wait_for_holder() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); return new; end $$;
    create trigger held before ${events} on ${table} for each row execute function public.wait_for_holder()`);
  const behind = (pids: readonly number[]) =>
    stage.query<{ pid: number }>(
      "select pid from pg_stat_activity where pg_blocking_pids(pid) && $1::integer[] and pid <> all ($1::integer[])",
      [pids],
    );
  const waiting = () => behind([rows[0]?.pid ?? 0]);
  return {
    waiting,
    waitingBehind: async () => behind((await waiting()).map(({ pid }) => pid)),
    [Symbol.asyncDispose]: async () => {
      // dropping the trigger would wait for those who wait here
      await client.query("select pg_advisory_unlock(1)");
      await client.query("drop function public.wait_for_holder() cascade");
      await client.end();
    },
  };
}
