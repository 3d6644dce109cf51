import { operationById } from "../api/operations/all.ts";
import type { Settings } from "../config/settings.ts";
import { daysAtSamePrice } from "../core/fetch-option.ts";
import { scopeKey } from "../core/slice.ts";
import { joined } from "../core/window.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { isPaged } from "../datasets/shared/define-dataset.ts";
import { readLastPages } from "../ledger/coverage.ts";
import type { DueTry, FoundTry } from "../ledger/failed-retries.ts";
import { settingsOf } from "../planner/dataset-settings.ts";
import { optionFor } from "../planner/plan-chunks.ts";
import type { Database } from "../postgres/database.ts";

/**
 * Failed slices, in their order. Slices about adjacent days are joined into the newest one, as long as one call can fetch all of their days
 * at its price: each night of an outage leaves a slice, and each would be paid for separately.
 */
export async function joinTries(
  db: Database,
  due: readonly FoundTry[],
  settings: Settings,
): Promise<readonly DueTry[]> {
  const kept = new Map<string, DueTry>(due.map((one) => [one.sliceId, one]));
  const groups = Map.groupBy(
    due.filter(({ mayJoin }) => mayJoin),
    ({ alike }) => alike,
  );
  for (const group of groups.values()) {
    const [first, ...rest] = group.toSorted((a, b) => (a.window.end < b.window.end ? 1 : -1));
    if (first === undefined || rest.length === 0) continue;
    const option = await optionOf(db, first, settings);
    let newest = first;
    let joins: NonNullable<DueTry["joins"]> = { sliceIds: [], window: newest.window };
    for (const one of rest) {
      const window = joined(joins.window, one.window, daysAtSamePrice(option, newest.window));
      joins =
        window === null ? { sliceIds: [], window: one.window } : { sliceIds: [...joins.sliceIds, one.sliceId], window };
      if (window === null) newest = one;
      else {
        kept.set(newest.sliceId, { ...newest, joins });
        kept.delete(one.sliceId);
      }
    }
  }
  return [...kept.values()];
}

/** What a call like that of a failed slice can fetch. */
async function optionOf(db: Database, { dataset: name, operation, scope }: FoundTry, settings: Settings) {
  const dataset = datasetNamed(name);
  const pages = isPaged(dataset) ? await readLastPages(db, name, [scope]) : undefined;
  const planning = { dataset, learned: new Map(), settings: settingsOf(dataset, settings) };
  return optionFor(planning, { scope }, operationById(operation), pages?.get(scopeKey(scope)));
}
