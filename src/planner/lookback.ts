import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { addDays, type Day } from "../core/day.ts";
import { scopeKey, type Scope } from "../core/slice.ts";
import type { Timing } from "../core/timing.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import {
  evidenceDays,
  learnLookback,
  recentDays,
  withLearned,
  type AgeEvidence,
  type LearnedLookback,
} from "../plan/learn-lookback.ts";
import { sql, type Queryable } from "../postgres/sql.ts";
import { settingsOf, timingWith } from "./dataset-settings.ts";

/** Days of one age that were requested again, with how many of their rows and how much of their amounts moved. */
export type AgeLine = AgeEvidence & {
  readonly rows: number;
  readonly rowsMoved: number;
  readonly amount: number;
  readonly amountMoved: number;
};

/** What is known about the lookback of a dataset. */
export type DatasetLookback = {
  readonly dataset: string;
  /** The days of the configuration, or of the dataset. */
  readonly fixedDays: number;
  /** True if `lookback: learned` is set. */
  readonly isLearned: boolean;
  readonly learned: LearnedLookback;
  /** The lowest age first; only ages with days that were requested again. */
  readonly ages: readonly AgeLine[];
};

/** True for a dataset whose figures are compared when days are requested again. */
export function canLearn({ timing, tables }: Pick<Dataset, "timing" | "tables">): boolean {
  return timing.kind === "series" && timing.lookbackDays > 0 && tables.some(({ figures }) => figures !== undefined);
}

/** What is known about the lookbacks of these datasets, or if none is named, of all that can learn one. */
export async function readLookbacks(
  db: Queryable,
  {
    settings,
    today,
    names = [],
  }: { readonly settings: Settings; readonly today: Day; readonly names?: readonly string[] },
): Promise<readonly DatasetLookback[]> {
  const chosen = datasets.filter((one) => canLearn(one) && (names.length === 0 || names.includes(one.name)));
  return Promise.all(chosen.map((dataset) => readLookback(db, { dataset, settings, today })));
}

async function readLookback(
  db: Queryable,
  { dataset, settings, today }: { readonly dataset: Dataset; readonly settings: Settings; readonly today: Day },
): Promise<DatasetLookback> {
  const own = settingsOf(dataset, settings);
  const timing = timingWith(dataset.timing, own, today);
  const [fixedDays, settleDays] = timing.kind === "series" ? [timing.lookbackDays, timing.settleDays] : [0, 0];
  const recent = sql`observed_on > ${addDays(today, -recentDays)}::date`;
  const { rows: ages } = await sql<AgeLine>`
    select observed_on - date_day - ${settleDays}::integer as age, count(*)::int as compared,
           count(*) filter (where moved_count > 0)::int as moved, count(*) filter (where ${recent})::int as "recentCompared",
           count(*) filter (where moved_count > 0 and ${recent})::int as "recentMoved", sum(row_count)::float8 as rows,
           sum(moved_count)::float8 as "rowsMoved", sum(amount)::float8 as amount, sum(moved_amount)::float8 as "amountMoved"
    from   ops.compared_day
    where  dataset = ${dataset.name} and account = ${accountOf(settings)} and observed_on > ${addDays(today, -evidenceDays)}::date and observed_on <= ${today}::date
    and    observed_on - date_day - ${settleDays}::integer between 1 and ${fixedDays}::integer
    group  by 1
    order  by 1`.execute(db);
  const learned = learnLookback(ages, fixedDays);
  return { dataset: dataset.name, fixedDays, isLearned: own.lookback === "learned", learned, ages };
}

/** The days of lookback that datasets with `lookback: learned` have learned, without those that have too little evidence. */
export async function learnedDays(
  db: Queryable,
  of: { readonly settings: Settings; readonly today: Day; readonly names: readonly string[] },
): Promise<ReadonlyMap<string, number>> {
  const names = of.names.filter((name) => of.settings.datasets[name]?.lookback === "learned");
  if (names.length === 0) return new Map();
  const found = await readLookbacks(db, { ...of, names });
  return new Map(
    found.flatMap(({ dataset, learned }) => (learned.kind === "learned" ? [[dataset, learned.days] as const] : [])),
  );
}

/** The timing of a partition with the lookback that its dataset has learned, if it has. */
export function learnedTiming(
  timing: Timing,
  {
    dataset,
    lookbackDays,
    today,
  }: { readonly dataset: string; readonly lookbackDays: number | undefined; readonly today: Day },
  scope: Scope,
): Timing {
  if (timing.kind !== "series" || lookbackDays === undefined) return timing;
  return withLearned(timing, lookbackDays, { key: `${dataset} ${scopeKey(scope)}`, today });
}
