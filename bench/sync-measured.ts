import { createApp, type App } from "../src/app.ts";
import type { Config } from "../src/config/config.ts";
import { planInForeground, syncInForeground } from "../src/foreground.ts";
import { makePlan } from "../src/planner/backfill-plan.ts";
import type { SyncResult } from "../src/runs/run-parts.ts";
import type { Window } from "../src/core/window.ts";
import type { RunProgress } from "../src/ledger/runs.ts";
import { ownCpuSince } from "./cpu.ts";
import { timed } from "./stopwatch.ts";
import { boundsOf, today, type Work } from "./work.ts";

/** What a sync took. Times in ms, memory in bytes. */
export type SyncTime = {
  readonly ms: number;
  /** Processor time of this process. */
  readonly cpuMs: number;
  readonly outcome: string;
  readonly slices: number;
  readonly memory: { readonly atStart: number; readonly early: number; readonly end: number; readonly peak: number };
};

/** What is fetched: work, or days of everything that is on; and whether it was fetched before. */
type Measured = { readonly config: Config; readonly work: Work | Partial<Window>; readonly again: boolean };

/** Reading it costs as much as a statement: more often, the bench would affect what it measures. */
const sampleMs = 100;
/** Share of the slices after which the first memory sample counts as early. */
const earlyShare = 0.2;

/**
 * Fetches the work through the entries that the commands use: `storehouse sync`, or, to request everything `again`,
 * `storehouse backfill --reprocess all`. Planning counts.
 */
export async function syncMeasured({ config, work, again }: Measured): Promise<SyncTime> {
  await using app = await createApp(config, today);
  const bounds = "apps" in work ? boundsOf(work) : work;
  const atStart = process.memoryUsage.rss();
  let [early, share, peak] = [0, 0, atStart];
  const sample = () => {
    const rss = process.memoryUsage.rss();
    peak = Math.max(peak, rss);
    if (early === 0 && share >= earlyShare) early = rss;
  };
  const progress = ({ total, open }: RunProgress) => {
    share = total === 0 ? 0 : (total - open) / total;
  };
  const sampling = setInterval(sample, sampleMs);
  const cpuBefore = process.cpuUsage();
  try {
    const { result, ms } = await timed(() =>
      again ? backfillAll(app, bounds, progress) : syncAll(app, bounds, progress),
    );
    const cpuMs = ownCpuSince(cpuBefore);
    sample();
    const end = process.memoryUsage.rss();
    return { ms, cpuMs, outcome: result.outcome, slices: result.progress.total, memory: { atStart, early, end, peak } };
  } finally {
    clearInterval(sampling);
  }
}

type OnProgress = (progress: RunProgress) => void;

const never = new AbortController().signal;

function syncAll(app: App, bounds: Partial<Window>, progress: OnProgress): Promise<SyncResult> {
  const request = { datasets: [], bounds, today };
  return syncInForeground(app, { request, maxCredits: null, stop: never, progress });
}

async function backfillAll(app: App, bounds: Partial<Window>, progress: OnProgress): Promise<SyncResult> {
  const { plan } = await makePlan(app.warehouse.db, {
    requested: {
      datasets: ["keyword_rank"],
      bounds,
      apps: [],
      countries: [],
      reprocess: "all",
      newestFirst: false,
      mostCredits: null,
    },
    settings: app.config.settings,
    clock: app.clock,
  });
  if (plan === null) throw new Error("there is nothing to request again");
  return planInForeground(app, { plan, maxCredits: plan.credits, stop: never, progress });
}
