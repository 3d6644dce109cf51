import { sql } from "kysely";
import type { StorehouseError } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import { cleanText } from "../core/text.ts";
import type { Database } from "../warehouse/database.ts";

/** What a landed answer came to when it was loaded without having been fetched just now. */
export type LateOutcome = {
  readonly state: "loaded" | "empty" | "failed";
  readonly problem: StorehouseError | null;
  readonly rows: number;
  readonly rejects: number;
};

/** Notes what became of a slice that is in a final state already; one that is worked on again meanwhile is left alone. */
export async function noteOutcome(db: Database, slice: Slice, outcome: LateOutcome): Promise<void> {
  const { problem } = outcome;
  await sql`
    update ops.slice
    set    state = ${outcome.state}, error_code = ${problem?.code ?? null},
           error_message = ${problem === null ? null : cleanText(problem.message)},
           rows_loaded = ${outcome.rows}, rows_rejected = ${outcome.rejects}
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt} and state in ('loaded', 'empty', 'failed')`.execute(
    db,
  );
}
