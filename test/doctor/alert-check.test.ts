import { expect, test } from "vitest";
import { checkAlertSettings } from "../../src/doctor/alert-check.ts";
import { Settings } from "../../src/config/settings.ts";

type Env = Parameters<typeof checkAlertSettings>[0]["environment"];
const environment: Env = { LOG_LEVEL: "warn", NOTIFY_URL: "https://example.com" };
/** What the doctor says of these settings, with a crontab that names some datasets. */
function checked(
  given: object,
  { datasets = [] as string[], env = environment }: { datasets?: string[]; env?: Env } = {},
) {
  const crontab = { file: "crontab", read: () => [{ datasets }, { datasets: null }] };
  return checkAlertSettings({
    settings: Settings.parse(given),
    environment: env,
    crontab,
  }).map(({ state, found, next }) => [state, found, next]);
}

const alerts = { chart: { kind: "chart_entered" }, fell: { kind: "keyword_fell" } };
const off = [
  "warn",
  "chart never fires: it needs the dataset top_chart, which is off",
  "set datasets.top_chart.on: true; `storehouse datasets` shows what it costs",
];

test("the doctor names an alert that rests on a dataset that is off, and the switch", () => {
  expect(checked({})).toEqual([]);
  expect(checked({ alerts })).toEqual([off]);
  const fine = [["ok", "2 configured, each with its datasets on", null]];
  expect(checked({ alerts, datasets: { top_chart: { on: true } } })).toEqual(fine);
  expect(checked({ alerts }, { datasets: ["top_chart"] })).toEqual(fine);
  expect(checked({ alerts, datasets: { top_chart: { on: false } } }, { datasets: ["top_chart"] })).toEqual([off]);
  expect(checked({ alerts, datasets: { keyword_rank: { on: false } } })).toHaveLength(2);
});

test("the doctor names the dataset that alone reports a property, and so a property that there is not", () => {
  const changed = (property: string) => checked({ alerts: { page: { kind: "page_changed", properties: [property] } } });
  expect(changed("title").map(([state]) => state)).toEqual(["ok"]);
  expect(changed("version").map(([state]) => state)).toEqual(["ok"]);
  for (const property of ["subtitle", "titel"])
    expect(changed(property)[0]?.[1]).toBe("page never fires: it needs the dataset app_change, which is off");
});

test("the doctor says where what fires is sent to nobody", () => {
  expect(checked({ alerts: { fell: alerts.fell } }, { env: { LOG_LEVEL: "warn" } })).toEqual([
    ["warn", "fired alerts are recorded but not sent", "set NOTIFY_URL, or read ops.alert_log"],
  ]);
});
