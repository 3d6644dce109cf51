type Ranked = { readonly keyword: string; readonly rank?: number | null | undefined };

/** One entry a keyword: where an answer names one twice, the better rank holds. Sorted by keyword. */
export function bestFirst<E extends Ranked>(entries: readonly E[]): readonly E[] {
  const best = new Map<string, E>();
  for (const entry of entries) {
    const held = best.get(entry.keyword);
    if (held === undefined || worth(entry) < worth(held)) best.set(entry.keyword, entry);
  }
  return [...best.values()].sort((a, b) => (a.keyword < b.keyword ? -1 : 1));
}

function worth(entry: Ranked): number {
  return entry.rank ?? Number.POSITIVE_INFINITY;
}
