import { sql } from "../../src/postgres/sql.ts";
import type pg from "pg";
import { beforeEach } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import type { Slice, SliceDraft } from "../../src/core/slice.ts";
import { endAttempt, insertSlices, type Ending } from "../../src/ledger/slices.ts";
import type { DatasetLine } from "../../src/ledger/dataset-timings.ts";
import { openRun, type RunStart } from "../../src/ledger/runs.ts";
import { enterWorker, type LivingWorker, type WorkerKind } from "../../src/ledger/workers.ts";
import { openWarehouse, type Database } from "../../src/postgres/database.ts";
import { freshDatabase } from "./database.ts";
import { august, draft, now, today } from "./slice-draft.ts";
import { claim } from "./queue-steps.ts";
import { forTests } from "./for-tests.ts";

export { august, draft, now, today };

export const ending = {
  state: "loaded",
  error: null,
  dueAt: null,
  counts: false,
  rowsLoaded: 0,
  rowsRejected: 0,
} as const satisfies Ending;

/** A dataset of the market that is on, changed in some parts. */
export function datasetLine(dataset: string, over: Partial<DatasetLine> = {}): DatasetLine {
  return { dataset, stage: "market", is_on: true, is_switched_off: false, items_are_apps: false, ...over };
}

/** The ledger in a database of the test's own. */
export interface LedgerStage extends AsyncDisposable {
  readonly url: string;
  readonly db: Database;
  readonly pool: pg.Pool;
  readonly clock: Clock;
  /** Empties the ledger and lets the living processes go; numbers begin at 1 again. */
  readonly reset: () => Promise<void>;
  /** A process that lives until the stage is reset or disposed. */
  readonly alive: () => Promise<string>;
  /** A living process of a kind, until it is disposed. */
  readonly aliveAs: (kind: WorkerKind) => Promise<LivingWorker>;
  /** A process that is gone and never said so. */
  readonly dead: () => Promise<string>;
  /** A run of nobody in particular, unless said otherwise. */
  readonly run: (start?: Partial<RunStart>) => Promise<string>;
  readonly insert: (run: string, ...drafts: readonly SliceDraft[]) => Promise<readonly string[]>;
  /** Inserts slices and brings each to its end; `running` and `pending` included. */
  readonly inState: (
    run: string,
    state: Ending["state"] | "running",
    worker: string,
    ...drafts: readonly SliceDraft[]
  ) => Promise<readonly string[]>;
  /** Claims a slice that is known to be free. */
  readonly claimed: (slice: string, worker: string) => Promise<Slice>;
  /** Stores a page of the answer to an attempt of a slice: the first page of the first attempt if left out. */
  readonly land: (slice: string, page?: number, attempt?: number) => Promise<void>;
  /** Rows of `ops.slice`, in order of number, by a select list. */
  readonly slices: (select: string) => Promise<readonly Record<string, unknown>[]>;
  /** How many connections to the database wait for a lock. */
  readonly waiting: () => Promise<number>;
  /** Slices that wait to be taken at once, of all queues, in their turn. */
  readonly queued: () => Promise<readonly { queue: string; slice: string }[]>;
}

/** Opens a ledger. */
export async function openLedgerStage(): Promise<LedgerStage> {
  await using opened = new AsyncDisposableStack();
  const { url } = opened.use(await freshDatabase());
  const { db, pool } = opened.use(await openWarehouse(url, 10));
  const clock: Clock = { now: () => now, today: () => today, sleep: () => Promise.resolve() };
  let living = new AsyncDisposableStack();
  opened.defer(() => living.disposeAsync());
  const stack = opened.move();

  const insert: LedgerStage["insert"] = (run, ...drafts) => insertSlices(db, run, drafts, now);
  const claimed: LedgerStage["claimed"] = async (id, worker) => {
    const { rows } = await sql<{ queue_id: string }>`select queue_id from ops.slice where slice_id = ${id}`.execute(db);
    const slice = await claim(db, id, { queueId: rows[0]?.queue_id ?? "", workerId: worker }, now);
    if (slice === null) throw new Error(`slice ${id} is not to be had`);
    return slice;
  };
  return {
    url,
    db,
    pool,
    clock,
    reset: async () => {
      await living.disposeAsync();
      living = new AsyncDisposableStack();
      await sql`
        truncate ops.worker, ops.run, ops.batch, ops.slice, ops.request, raw.answer
        restart identity cascade`.execute(db);
    },
    insert,
    claimed,
    alive: async () => living.use(await enterWorker(pool, { kind: "foreground", account: "", clock })).workerId,
    aliveAs: (kind) => enterWorker(pool, { kind, account: "", clock }),
    dead: async () => {
      const { rows } = await sql<{ worker_id: string }>`
        insert into ops.worker (kind, host, pid, started_at, heartbeat_at) values ('sync', 'gone', 1, now(), now()) returning worker_id`.execute(
        db,
      );
      return rows[0]?.worker_id ?? "";
    },
    run: (start = {}) =>
      openRun(
        db,
        { kind: "sync", workerId: null, account: "", asOf: today, datasets: [], maxCredits: null, ...start },
        now,
      ),
    inState: async (run, state, worker, ...drafts) => {
      const ids = await insert(run, ...drafts);
      if (state === "pending") return ids;
      for (const id of ids) {
        const slice = await claimed(id, worker);
        if (state !== "running") await endAttempt(db, slice, { ...ending, state }, now);
      }
      return ids;
    },
    land: async (slice, page = 0, attempt = 1) => {
      await sql`
        insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at)
        values (1, ${slice}, ${attempt}, ${page}, 'any', '{}', 2, now())`.execute(db);
    },
    slices: async (select) => {
      const { rows } = await sql`select ${sql.raw(select)} from ops.slice order by slice_id`.execute(db);
      return rows as Record<string, unknown>[];
    },
    waiting: async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity
        where  datname = current_database() and wait_event_type = 'Lock'`.execute(db);
      return rows[0]?.count ?? 0;
    },
    queued: async () => {
      const { rows } = await sql<{ queue: string; slice: string }>`
        select queue_id as queue, slice_id as slice from ops.slice
        where  state = 'pending' and due_at is null
        order  by turn, slice_id`.execute(db);
      return rows;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A ledger for the tests of one `describe`: opened before all of them, emptied before each, and then with one living process. */
export function ledgerForTests(): { readonly stage: LedgerStage; readonly worker: string } {
  const stage = forTests(openLedgerStage);
  let worker: string;
  beforeEach(async () => {
    await stage.reset();
    worker = await stage.alive();
  });
  return {
    stage,
    get worker() {
      return worker;
    },
  };
}
