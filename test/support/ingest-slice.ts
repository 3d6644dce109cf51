import { day } from "../../src/core/day.ts";
import type { Slice } from "../../src/core/slice.ts";

/** A slice as a test wants it: an iOS app in the United States on one day, unless said otherwise. */
export function sliceOf(chosen: Partial<Slice> = {}): Slice {
  return {
    sliceId: "1",
    runId: "1",
    attempt: 1,
    dataset: "keyword_rank",
    operation: "ios.keyword-ranking",
    scope: { store: "ios", app: "42", country: "US" },
    items: null,
    window: { start: day("2026-08-01"), end: day("2026-08-02") },
    class: "daily",
    requests: 1,
    credits: 3,
    asOf: day("2026-08-20"),
    fingerprint: "",
    ...chosen,
  };
}
