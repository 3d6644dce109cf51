import { sql } from "../src/postgres/sql.ts";
import { createApp } from "../src/app.ts";
import { openIngest } from "../src/open-ingest.ts";
import type { Config } from "../src/config/config.ts";
import type { Slice } from "../src/core/slice.ts";
import { createRunLimit } from "../src/credits/run-limit.ts";
import { datasetNamed } from "../src/datasets/shared/all.ts";
import { commitSlice } from "../src/ingest/commit-slice.ts";
import { prepareSlice } from "../src/ingest/prepare-slice.ts";
import { sliceColumns, sliceOf, type SliceRow } from "../src/ledger/slice-rows.ts";
import type { Database } from "../src/postgres/database.ts";
import { ownCpuSince } from "./cpu.ts";
import { ranksFor } from "./ranks.ts";
import { timed } from "./stopwatch.ts";
import { today } from "./work.ts";

/** How long a load took, in ms. */
export type LoadTime = { readonly ms: number; readonly cpuMs: number; readonly slices: number };

/** As many as a sync has: those whose rows wait for their commit. */
const slots = 200;

/**
 * Loads the answers of the first run again: from checked values in memory to rows, rejects and outcomes in the tables, as many at a time as
 * in a sync. Without HTTP, parsing or storing of answers.
 */
export async function loadAlone({ config, changed }: { config: Config; changed: boolean }): Promise<LoadTime> {
  await using app = await createApp(config, today);
  await using ingest = await openIngest(app, "foreground", createRunLimit(null));
  const { parts } = ingest;
  const slices = await takeFirst(app.warehouse.db, parts.workerId);
  const queue = slices.values();
  const dataset = datasetNamed("keyword_rank");
  const work = async () => {
    for (const slice of queue) {
      const fetchedAt = parts.clock.now();
      parts.claimedSlices.start(slice.sliceId);
      const answer = { pages: [answerOf(slice, changed)], invalid: [], drift: [], fetchedAt };
      await commitSlice(parts, await prepareSlice(parts, { dataset, slice, fetched: answer }));
      parts.claimedSlices.end(slice.sliceId);
    }
  };
  const cpuBefore = process.cpuUsage();
  const { ms } = await timed(() => Promise.all(Array.from({ length: slots }, work)));
  return { ms, cpuMs: ownCpuSince(cpuBefore), slices: slices.length };
}

function answerOf({ scope, window, items }: Slice, changed: boolean) {
  const question = {
    trackId: scope["app"] ?? "",
    country: scope["country"] ?? "",
    date: window.start,
    keywords: items ?? [],
  };
  return ranksFor(question, changed);
}

/** The slices of the first run, started again by this process: later runs requested the same again. */
async function takeFirst(db: Database, workerId: string): Promise<readonly Slice[]> {
  await sql`
    update ops.slice set state = 'running', attempt = attempt + 1, worker_id = ${workerId}
    where  run_id = (select min(run_id) from ops.slice)`.execute(db);
  const { rows } = await sql<SliceRow>`
    select ${sliceColumns} from ops.slice as s left join ops.batch as b on b.batch_id = s.batch_id
    where  s.state = 'running'
    order  by s.slice_id`.execute(db);
  return rows.map(sliceOf);
}
