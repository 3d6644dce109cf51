import type { Writable } from "node:stream";
import type { Clock } from "../core/clock.ts";
import type { ReportedProgress } from "../runs/run-parts.ts";
import { keepStatusLine, showStatusLine } from "../core/status-line.ts";
import { count, countOf } from "../core/words.ts";
import { textWidth } from "../core/text-width.ts";

/** Shows how far a run is. */
export interface ProgressView {
  show(progress: ReportedProgress): void;
  /** Keeps the last line on the terminal. */
  done(): void;
}

/** Where to show it, and how fast the run may be, to estimate the time left. */
export type ViewOptions = {
  readonly to: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly clock: Clock;
  readonly requestsPerSecond: number;
};

const barWidth = 20;
const plainEveryMs = 2_000;

/** A bar on a terminal, a plain line every two seconds elsewhere. */
export function createProgressView(options: ViewOptions): ProgressView {
  return options.to.isTTY === true ? barView(options) : plainView(options);
}

function barView({ to, requestsPerSecond }: ViewOptions): ProgressView {
  const steady = steadyProgress();
  let shown = "";
  return {
    show: (reported) => {
      if (isNothing(reported)) {
        // removes the line of a wait that is over
        if (shown !== "") showStatusLine(to, "");
        shown = "";
        return;
      }
      const progress = steady(reported);
      // a line that reaches the last column may break, and a broken line cannot be overwritten
      const columns = (to.columns ?? 80) - 1;
      const bar = progress.total === 0 ? [] : [barOf(progress)];
      shown = fitting([...bar, ...words(progress, requestsPerSecond)], columns);
      showStatusLine(to, shown);
    },
    done: () => {
      if (shown !== "") keepStatusLine(to, shown);
    },
  };
}

function barOf({ share }: SteadyProgress): string {
  const filled = Math.floor(barWidth * (share ?? 0));
  return `[${"#".repeat(filled)}${".".repeat(barWidth - filled)}]`;
}

/** As many parts as fit, from the first on. */
function fitting([bar = "", ...notes]: readonly string[], columns: number): string {
  let line = bar;
  for (const [at, note] of notes.entries()) {
    const longer = `${line}${at === 0 ? " " : ", "}${note}`;
    if (textWidth(longer) > columns) return line;
    line = longer;
  }
  return line;
}

function plainView({ to, clock, requestsPerSecond }: ViewOptions): ProgressView {
  const steady = steadyProgress();
  let last = Number.NEGATIVE_INFINITY;
  let said = "";
  let latest = "";
  const say = () => {
    if (latest !== said) to.write(`${latest}\n`);
    said = latest;
    last = clock.now();
  };
  return {
    show: (reported) => {
      if (isNothing(reported)) return;
      latest = words(steady(reported), requestsPerSecond).join(", ");
      if (clock.now() - last >= plainEveryMs) say();
    },
    done: () => void (latest !== "" && say()),
  };
}

/** Progress as it is shown: what was once shown as done stays done. */
type SteadyProgress = Omit<ReportedProgress, "isWhole"> & {
  readonly done: number;
  /** From 0 to 1, less than 1 while a slice is open; null while the total is unknown. */
  readonly share: number | null;
};

/**
 * Follows the progress of one run. Slices that are run again, or taken over by another process, are open again or gone; neither the bar nor
 * the number before it goes back for that. The bar begins when the run is completely planned, so that further planning cannot shorten it.
 */
export function steadyProgress(): (progress: ReportedProgress) => SteadyProgress {
  let done = 0;
  let share: number | null = null;
  return ({ isWhole, ...progress }) => {
    const { open } = progress;
    // what comes along with the answers was not part of the price
    const total = progress.total - progress.alongside;
    done = Math.max(done, total - open);
    if (isWhole || share !== null) share = Math.max(share ?? 0, open === 0 ? 1 : Math.min(done / total, mostOpen));
    return { ...progress, total: Math.max(total, done), done, share };
  };
}

/** A full bar is a promise that nothing is left. */
const mostOpen = 0.99;

function isNothing({ total, elsewhere }: ReportedProgress): boolean {
  return total === 0 && elsewhere === 0;
}

/** Slices that answers to other slices loaded as well, so that nothing was requested for them; empty if there are none. */
export function alongsideWords(slices: number): string {
  return slices === 0 ? "" : `${countOf(slices, "more slice")} from the same answers`;
}

/** The facts of a line, the most important first. */
function words(progress: SteadyProgress, requestsPerSecond: number): readonly string[] {
  const { total, done, share, requestsLeft, failed, deferred, credits, elsewhere, alongside } = progress;
  const waits = elsewhere > 0 ? `waits for another process: ${countOf(elsewhere, "slice")}` : "";
  if (total === 0) return [waits];
  const minutes = Math.ceil(requestsLeft / requestsPerSecond / 60);
  return [
    share === null
      ? `reading lists: ${count(done)} of ${countOf(total, "slice")}`
      : `${count(done)} of ${countOf(total, "slice")}`,
    countOf(credits, "credit"),
    alongsideWords(alongside),
    waits,
    failed > 0 ? `${failed} failed` : "",
    deferred > 0 ? `${deferred} deferred` : "",
    minutes > 1 ? `about ${minutes} min left at ${requestsPerSecond} requests a second` : "",
  ].filter((text) => text !== "");
}
