/** One way to fetch cells: what a call of an operation can carry and what it costs. */
export type Way = {
  readonly operation: string;
  /** Credits a call is expected to cost. */
  readonly credits: number;
  /** Days that one call may span. */
  readonly maxDays: number;
  /** Items that one call may name; above 1 they travel as a comma-separated list. */
  readonly maxItems: number;
};

/** When a dataset is worth asking for. */
export type Timing =
  /** Only what holds now can be asked for: asked again when the last answer is `refreshDays` old or its fingerprint changed. */
  | { readonly kind: "snapshot"; readonly refreshDays: number }
  /**
   * Days of the past can be asked for. The newest `settleDays` (today counted) are not published yet; the `lookbackDays` before
   * them are restated by the source and asked for again; a sync that names no start reaches `historyDays` back.
   */
  | {
      readonly kind: "series";
      readonly settleDays: number;
      readonly lookbackDays: number;
      readonly historyDays: number;
    };

/** True when an item may travel by this way: a comma inside a comma-separated list would split it. */
export function carries(way: Way, item: string): boolean {
  return way.maxItems === 1 || !item.includes(",");
}
