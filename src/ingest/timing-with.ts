import type { DatasetSettings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { keptFrom } from "../core/kept-from.ts";
import type { Timing } from "../core/way.ts";

/** A dataset's timing with what the configuration changes; where the kept days begin is told for a day only. */
export function timingWith(timing: Timing, settings: DatasetSettings, today?: Day): Timing {
  if (timing.kind === "snapshot") return { ...timing, refreshDays: settings.refresh_days ?? timing.refreshDays };
  const kept = today === undefined ? null : keptFrom(today, settings.keep_months);
  return {
    ...timing,
    settleDays: settings.settle_days ?? timing.settleDays,
    lookbackDays: settings.lookback_days ?? timing.lookbackDays,
    historyDays: settings.history_days ?? timing.historyDays,
    ...(settings.start === undefined ? {} : { firstDay: settings.start }),
    ...(kept === null ? {} : { keptFrom: kept }),
    ...(settings.pack_days === undefined ? {} : { packDays: settings.pack_days }),
  };
}
