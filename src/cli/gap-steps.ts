import { earliest, daysBetween } from "../core/day.ts";
import { count, countOf } from "../core/words.ts";
import { lastDay } from "../core/window.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import type { EarlierGaps } from "../planner/earlier-gaps.ts";
import type { GapLine } from "../planner/gap-lines.ts";

/**
 * What to do about gaps, one line per state; other states need no action. `named`: the requested datasets; a plan without names leaves out
 * those that are off.
 */
export function gapSteps(lines: readonly GapLine[], named: readonly string[]): readonly string[] {
  const of = named.length === 0 ? "" : ` --dataset ${named.join(",")}`;
  const having = (state: keyof GapLine["cells"]) => lines.filter(({ cells }) => (cells[state] ?? 0) > 0);
  const missing = having("missing");
  const steps = [
    missing.length > 0
      ? `missing: \`storehouse plan${of}\` prices what \`storehouse sync${of}\` would fetch of these cells${backfillStep(missing)}.`
      : "",
    having("failed").length > 0 ? "failed: `storehouse failures` says why, and which command requests them again." : "",
    having("deferred").length > 0 ? "deferred: `storehouse status` says why, and until when." : "",
  ];
  return steps.filter((step) => step !== "");
}

/** The backfill of the largest gap. None if only today is missing: a snapshot has no other days, and a sync fetches it. */
function backfillStep(missing: readonly GapLine[]): string {
  const most = missing.find(({ coverage }) => datasetNamed(coverage.dataset).timing.kind !== "snapshot");
  if (most === undefined) return "";
  const { dataset } = most.coverage;
  const from = firstOf(missing.filter(({ coverage }) => coverage.dataset === dataset));
  return `; \`storehouse backfill --dataset ${dataset} --from ${from} --dry-run\` prices all of ${dataset}`;
}

/** What to do about days before those that a sync reaches: one line per stretch of days, and one per dataset with failed cells. */
export function earlierGapSteps({ unrequested, failed }: EarlierGaps): readonly string[] {
  const failures = failed.map(
    ({ dataset, slices }) =>
      `earlier: ${countOf(slices, "slice")} of ${dataset} failed, for days before those that a sync requests: \`storehouse failures --dataset ${dataset}\` says why, and when they are requested again.`,
  );
  const days = unrequested.map(({ dataset, window, partitions, all }) => {
    const length = countOf(daysBetween(window.start, window.end), "day");
    const of = partitions === all ? dataset : `${count(partitions)} of ${count(all)} partitions of ${dataset}`;
    return `earlier: ${of}: ${length} before those that a sync requests were never requested: \`storehouse backfill --dataset ${dataset} --from ${window.start} --to ${lastDay(window)} --dry-run\` prices them.`;
  });
  return [...days, ...failures];
}

function firstOf(lines: readonly GapLine[]): string {
  return earliest(lines.map(({ first }) => first));
}
