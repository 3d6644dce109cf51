import { AbortError, fail } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import type { IngestParts } from "./parts.ts";

/** Stops all asking where an error says that token or account are refused; first of all, so that nothing is sent while it is written down. */
export function stopAsking({ abort }: Pick<IngestParts, "abort">, { dataset }: Slice, error: unknown): void {
  if (error instanceof AbortError) abort(fail(error.code, { ...error.context, dataset }, error));
}
