import type { DatasetSettings } from "../config/settings.ts";
import type { Timing } from "../core/way.ts";

/** A dataset's timing with what the configuration changes. */
export function timingWith(timing: Timing, settings: DatasetSettings): Timing {
  if (timing.kind === "snapshot") return { ...timing, refreshDays: settings.refresh_days ?? timing.refreshDays };
  return {
    ...timing,
    settleDays: settings.settle_days ?? timing.settleDays,
    lookbackDays: settings.lookback_days ?? timing.lookbackDays,
    historyDays: settings.history_days ?? timing.historyDays,
    ...(settings.start === undefined ? {} : { firstDay: settings.start }),
    ...(settings.pack_days === undefined ? {} : { packDays: settings.pack_days }),
  };
}
