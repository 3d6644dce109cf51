import type { Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { groupKey } from "../core/partition-group.ts";
import type { Window } from "../core/window.ts";
import { sumBy } from "../core/sum.ts";
import { datasets } from "../datasets/shared/all.ts";
import { readReportedCells, type ReportedCells } from "../ledger/reported-cells.ts";
import { requestable } from "../plan/missing.ts";
import type { Queryable } from "../postgres/sql.ts";
import { settingsOf, timingWith } from "./dataset-settings.ts";
import type { ScopeCoverage } from "./gaps.ts";
import { datasetsOf } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";

/**
 * Cells of a dataset that are not requested because answers of another one, `source`, reported them, and the first and last of their days.
 */
export type ReportedSum = {
  readonly dataset: string;
  readonly source: string;
  readonly cells: number;
  readonly firstDay: Day;
  readonly lastDay: Day;
};

/** The cells of a request that answers of other datasets reported; on the days of the request, or on `shown` if given. */
export async function readReported(
  db: Queryable,
  { request, settings, shown }: { readonly request: SyncRequest; readonly settings: Settings; readonly shown?: Window },
): Promise<readonly ReportedCells[]> {
  const targets = new Set(datasets.flatMap(({ alsoAnswers }) => alsoAnswers?.dataset ?? []));
  const found: ReportedCells[] = [];
  for (const target of datasetsOf(request, settings).filter(({ name }) => targets.has(name))) {
    const timing = timingWith(target.timing, settingsOf(target, settings), request.today);
    if (timing.kind === "snapshot") continue;
    const within = shown ?? requestable(timing, request.today, request.bounds);
    found.push(...(await readReportedCells(db, { dataset: target.name, within })));
  }
  return found;
}

/** The reported cells of some coverage. */
export function reportedIn(
  cells: readonly ReportedCells[],
  coverage: readonly ScopeCoverage[],
): readonly ReportedCells[] {
  const days = new Map(coverage.map((one) => [groupKey(one), one.days]));
  return cells.filter((one) => days.get(groupKey(one))?.has(one.day) === true);
}

/** Sums by dataset and source. */
export function sumReported(cells: readonly ReportedCells[]): readonly ReportedSum[] {
  return [...Map.groupBy(cells, ({ dataset, source }) => `${dataset} ${source}`).values()].flatMap((same) => {
    const days = same.map(({ day }) => day).sort();
    const [first, firstDay, lastDay] = [same[0], days[0], days.at(-1)];
    if (first === undefined || firstDay === undefined || lastDay === undefined) return [];
    const { dataset, source } = first;
    return [{ dataset, source, cells: sumBy(same, (one) => one.cells), firstDay, lastDay }];
  });
}
