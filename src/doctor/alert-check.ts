import { alertsIn } from "../alerts/alert.ts";
import { datasetsOff, namedDatasets } from "../alerts/datasets-off.ts";
import type { Environment } from "../config/env.ts";
import type { Settings } from "../config/settings.ts";
import { pass, warn, type Diagnosis } from "./diagnosis.ts";
import type { ScheduleFile } from "./schedule-checks.ts";

/** Whether each alert can fire and be sent; nothing if none is configured. */
export function checkAlertSettings({
  settings,
  environment,
  crontab,
}: {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly crontab: Pick<ScheduleFile, "file" | "read">;
}): readonly Diagnosis[] {
  const alerts = alertsIn(settings);
  if (alerts.length === 0) return [];
  const named = namedDatasets(() => crontab.read(crontab.file));
  const found = alerts.flatMap((alert) => {
    const [dataset] = datasetsOff(alert, settings, named);
    if (dataset === undefined) return [];
    const problem = `${alert.name} never fires: it needs the dataset ${dataset}, which is off`;
    return [warn("alerts", problem, `set datasets.${dataset}.on: true; \`storehouse datasets\` shows what it costs`)];
  });
  if (environment.NOTIFY_URL === undefined)
    found.push(warn("alerts", "fired alerts are recorded but not sent", "set NOTIFY_URL, or read ops.alert_log"));
  return found.length > 0 ? found : [pass("alerts", `${alerts.length} configured, each with its datasets on`)];
}
