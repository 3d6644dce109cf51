import type { Writable } from "node:stream";
import type { Clock } from "../core/clock.ts";
import type { RunProgress } from "../ledger/runs.ts";

/** Shows how far a run is. */
export interface ProgressView {
  show(progress: RunProgress): void;
  /** Keeps the last line on the terminal. */
  done(): void;
}

/** Where to show it, and how fast the run may go, for the time that is left. */
export type ViewOptions = {
  readonly to: Writable & { readonly isTTY?: boolean };
  readonly clock: Clock;
  readonly requestsPerSecond: number;
};

const barWidth = 28;
const plainEveryMs = 2_000;

/** A bar on a terminal, a plain line every two seconds elsewhere. */
export function createProgressView(options: ViewOptions): ProgressView {
  return options.to.isTTY === true ? barView(options) : plainView(options);
}

function barView({ to, requestsPerSecond }: ViewOptions): ProgressView {
  let shown = false;
  return {
    show: (progress) => {
      if (progress.total === 0) return;
      const filled = Math.round((barWidth * (progress.total - progress.open)) / progress.total);
      to.write(
        `\r\u001b[2K[${"#".repeat(filled)}${".".repeat(barWidth - filled)}] ${words(progress, requestsPerSecond)}`,
      );
      shown = true;
    },
    done: () => void (shown && to.write("\n")),
  };
}

function plainView({ to, clock, requestsPerSecond }: ViewOptions): ProgressView {
  let last = Number.NEGATIVE_INFINITY;
  let said = "";
  let latest = "";
  const say = () => {
    if (latest !== said) to.write(`${latest}\n`);
    said = latest;
    last = clock.now();
  };
  return {
    show: (progress) => {
      if (progress.total === 0) return;
      latest = words(progress, requestsPerSecond);
      if (clock.now() - last >= plainEveryMs) say();
    },
    done: () => void (latest !== "" && say()),
  };
}

function words({ total, open, failed, deferred, credits }: RunProgress, requestsPerSecond: number): string {
  const minutes = Math.ceil((open - deferred) / requestsPerSecond / 60);
  const notes = [
    minutes > 1 ? `about ${minutes} minutes left at ${requestsPerSecond} requests a second` : "",
    failed > 0 ? `${failed} failed` : "",
    deferred > 0 ? `${deferred} deferred` : "",
  ].filter((text) => text !== "");
  return [`${total - open} of ${total} slices`, `${credits.toLocaleString("en-US")} credits`, ...notes].join(", ");
}
