import { noBreak } from "./text-width.ts";

/** How long something is away, in two units at most: `40 s`, `25 min`, `3 h 20 min`, `12 days`. No line is broken within it. */
export function durationText(ms: number): string {
  return durationParts(Math.max(0, Math.round(ms / 1000))).join(noBreak);
}

function durationParts(seconds: number): readonly (string | number)[] {
  if (seconds < 90) return [seconds, "s"];
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return [minutes, "min"];
  const hours = Math.floor(minutes / 60);
  if (hours >= 72) return [Math.floor(hours / 24), "days"];
  return [hours, "h", ...(minutes % 60 === 0 ? [] : [minutes % 60, "min"])];
}
