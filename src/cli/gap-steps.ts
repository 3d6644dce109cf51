import type { GapLine } from "../planner/gap-lines.ts";

/** What to do about gaps, a line a state that they have: what is not here needs nobody. */
export function gapSteps(lines: readonly GapLine[]): readonly string[] {
  const having = (state: keyof GapLine["cells"]) => lines.filter(({ cells }) => (cells[state] ?? 0) > 0);
  const [missing] = having("missing");
  const since = missing && having("missing").filter(({ coverage }) => coverage.dataset === missing.coverage.dataset);
  const steps = [
    missing === undefined || since === undefined
      ? ""
      : `missing: \`storehouse plan\` prices what \`storehouse sync\` would fetch of it, \`storehouse backfill --dataset ${missing.coverage.dataset} --from ${firstOf(since)} --dry-run\` all of ${missing.coverage.dataset}.`,
    having("failed").length > 0 ? "failed: `storehouse failures` says why, and which command requests them again." : "",
    having("deferred").length > 0 ? "deferred: `storehouse status` says why, and until when." : "",
  ];
  return steps.filter((step) => step !== "");
}

function firstOf(lines: readonly GapLine[]): string {
  return lines.map(({ first }) => first).reduce((a, b) => (a < b ? a : b));
}
