import type pg from "pg";
import type { Slice } from "../src/core/slice.ts";
import { claimNext } from "../src/ledger/queue.ts";
import { sharedQueue } from "../src/ledger/shared-queue.ts";
import { endAttempts } from "../src/ledger/slices.ts";
import type { Database } from "../src/postgres/database.ts";
import { today } from "./scale-size.ts";
import { timed } from "./stopwatch.ts";

/** The times of claiming and ending slices at a queue depth. */
export type QueueFigures = {
  readonly depth: number;
  readonly queueMs: number;
  readonly worked: number;
  readonly ms: number;
};

/** An idle worker claims as many at once as it has slots; one statement ends as many. */
const chunk = 16;

/** Queues slices up to a depth, then claims and ends some of them in chunks, as one worker does. */
export async function measureQueue(
  client: pg.Client,
  db: Database,
  { depth, worked }: { depth: number; worked: number },
): Promise<QueueFigures> {
  const { rows } = await client.query<{ waiting: number }>(
    "select count(*)::int as waiting from ops.slice where state = 'pending' and due_at is null",
  );
  const queued = await timed(() => queue(client, depth - (rows[0]?.waiting ?? 0)));
  await client.query("analyze ops.slice");
  const work = await timed(async () => {
    for (let done = 0; done < worked;) {
      const slices = await claimNext(
        db,
        { queueId: sharedQueue, workerId: "1" },
        { most: chunk, now: Date.UTC(2026, 7, 20) },
      );
      await endAttempts(db, slices.map(ended), Date.UTC(2026, 7, 20));
      done += slices.length;
      if (slices.length === 0) throw new Error("the queue ran empty");
    }
  });
  return { depth, queueMs: queued.ms, worked, ms: work.ms };
}

function ended(slice: Slice) {
  const ending = {
    state: "loaded",
    error: null,
    dueAt: null,
    counts: false,
    rowsLoaded: 100,
    rowsRejected: 0,
  } as const;
  return { slice, ending };
}

/** Slices of a history: each for an app, a country and a hundred keywords, one per day. */
async function queue(client: pg.Client, count: number): Promise<void> {
  await client.query(
    `insert into ops.worker (worker_id, kind, host, pid, started_at, heartbeat_at) overriding system value
     values (1, 'worker', 'bench', 1, now(), now()) on conflict do nothing`,
  );
  await client.query(
    `with run as (
       insert into ops.run (kind, as_of, datasets, started_at) values ('backfill', $2, '{keyword_rank}', now()) returning run_id
     )
     insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                            planned_credits, run_id, turn, created_at)
     select 'keyword_rank', 'ios.keyword-ranking', jsonb_build_object('app', (9000000 + run_id * 100000 + n / 730)::text, 'store', 'ios', 'country', 'US'), 1,
            $2::date - 1 - n % 730, $2::date - n % 730, $2, '', 'history', 'pending', 1, 3, run_id, 400000 + (date '2100-01-01' - ($2::date - n % 730)), now()
     from   run cross join generate_series(1, $1::int) as n
     order  by n % 730, n`,
    [count, today],
  );
}
