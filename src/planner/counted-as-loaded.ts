import { scopeKey, type Covered, type SliceDraft } from "../core/slice.ts";
import type { CoverageReader } from "../ledger/coverage.ts";

/** Planned slices that count as loaded, by `scopeKey`. */
export type CountedAsLoaded = Map<string, Covered[]>;

/** Counts planned slices as loaded. */
export function countAsLoaded(loaded: CountedAsLoaded, slices: readonly SliceDraft[]): void {
  for (const slice of slices) {
    const key = scopeKey(slice.scope);
    const own = loaded.get(key) ?? [];
    own.push({ ...slice, state: "loaded", refused: false });
    loaded.set(key, own);
  }
}

/** Coverage as it would be with slices that count as loaded. */
export function withLoaded(coverage: CoverageReader, loaded: CountedAsLoaded): CoverageReader {
  return {
    ...coverage,
    read: async (scopes) => {
      const covered = await coverage.read(scopes);
      const keys = scopes.map((scope) => scopeKey(scope));
      return new Map(keys.map((key) => [key, [...(covered.get(key) ?? []), ...(loaded.get(key) ?? [])]]));
    },
  };
}
