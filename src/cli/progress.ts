import type { Writable } from "node:stream";
import type { Clock } from "../core/clock.ts";
import type { RunProgress } from "../ledger/runs.ts";

/** Shows how far a run is. */
export interface ProgressView {
  show(progress: RunProgress): void;
  /** Leaves the last line standing. */
  done(): void;
}

const barWidth = 28;
const plainEveryMs = 2_000;

/** A bar on a terminal, a plain line every two seconds elsewhere. */
export function createProgressView(to: Writable & { readonly isTTY?: boolean }, clock: Clock): ProgressView {
  return to.isTTY === true ? barView(to) : plainView(to, clock);
}

function barView(to: Writable): ProgressView {
  let shown = false;
  return {
    show: (progress) => {
      if (progress.total === 0) return;
      const filled = Math.round((barWidth * (progress.total - progress.open)) / progress.total);
      to.write(`\r\u001b[2K[${"#".repeat(filled)}${".".repeat(barWidth - filled)}] ${words(progress)}`);
      shown = true;
    },
    done: () => void (shown && to.write("\n")),
  };
}

function plainView(to: Writable, clock: Clock): ProgressView {
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
      latest = words(progress);
      if (clock.now() - last >= plainEveryMs) say();
    },
    done: () => void (latest !== "" && say()),
  };
}

function words({ total, open, failed, deferred, credits }: RunProgress): string {
  const troubles = [failed > 0 ? `${failed} failed` : "", deferred > 0 ? `${deferred} deferred` : ""].filter(
    (text) => text !== "",
  );
  return [`${total - open} of ${total} slices`, `${credits.toLocaleString("en-US")} credits`, ...troubles].join(", ");
}
