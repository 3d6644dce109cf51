import type { Task } from "graphile-worker";
import { z } from "zod";
import type { IngestParts } from "../src/ingest/parts.ts";
import { runSlice } from "../src/ingest/run-slice.ts";

const Payload = z.object({ sliceId: z.string() });

/** A job carries one slice; all that matters is in the ledger. */
export default function runSliceTask(parts: IngestParts): Task {
  return (payload, helpers) => runSlice(parts, Payload.parse(payload).sliceId, helpers.abortSignal);
}
