import { once } from "node:events";
import path from "node:path";
import { createApp, type App } from "./app.ts";
import { answers, connectWords, rowCounts, spending } from "./cli/demo-report.ts";
import { print, remark, tolerateClosedPipes } from "./cli/output.ts";
import { drawPictures, picturesFolder } from "./cli/demo-pictures.ts";
import { createProgressView } from "./cli/progress.ts";
import { reportFailure } from "./cli/report-failure.ts";
import { stopSignal } from "./cli/stop-signal.ts";
import { projectRoot, type Config } from "./config/config.ts";
import { processEnvironment } from "./config/env.ts";
import { Settings } from "./config/settings.ts";
import { addDays, day } from "./core/day.ts";
import { fail } from "./core/errors.ts";
import { syncInForeground } from "./foreground.ts";
import { startSandbox, type Sandbox } from "./sandbox/sandbox.ts";

/** The market's today is pinned, so that every run of the demo shows the same figures. */
const today = day("2026-11-01");
const days = 60;
/** Enough to be quick on two cores; the real service is asked at the pace of config/storehouse.yaml. */
const pace = { requests_per_second: 1000, concurrency: 8 };

/** The demo's own settings and database folder: made-up data never meets real data. */
function demoConfig(sandbox: Sandbox): Config {
  return {
    environment: { API_BASE_URL: sandbox.url, API_TOKEN: sandbox.token, LOG_LEVEL: "error" },
    settings: Settings.parse({ api: pace }),
    home: path.resolve(processEnvironment()["STOREHOUSE_HOME"] ?? path.join(projectRoot, ".storehouse"), "demo"),
  };
}

async function load(app: App, stop: AbortSignal): Promise<number> {
  const view = createProgressView({
    to: process.stderr,
    clock: app.clock,
    requestsPerSecond: pace.requests_per_second,
  });
  const bounds = { start: addDays(today, -days), end: today };
  const result = await syncInForeground(app, {
    request: { datasets: ["keyword_rank"], bounds, today },
    maxCredits: null,
    stop,
    progress: (progress) => view.show(progress),
  });
  view.done();
  if (result.error !== null) throw result.error;
  print(
    result.progress.total === 0
      ? "\nEverything was loaded already: no credit spent."
      : `\n${result.progress.credits.toLocaleString("en-US")} credits spent in this run.`,
  );
  return result.outcome === "loaded" ? 0 : result.outcome === "interrupted" ? 130 : 1;
}

type Wishes = { readonly stay: boolean; readonly pictures: string | null };

async function demo({ stay, pictures }: Wishes): Promise<number> {
  const stop = stopSignal();
  print(
    `Storehouse demo: a made-up market of 8 apps in 6 countries, ${days} days up to ${addDays(today, -1)}, its yesterday.`,
  );
  print("Starting Postgres 18 and the sandbox API on loopback ...");
  await using sandbox = await startSandbox({ today, market: { apps: 8 } });
  await using app = await createApp(demoConfig(sandbox), today);
  const code = await load(app, stop.signal);
  if (code !== 0) return code;
  print(await rowCounts(app.warehouse.db));
  print(await spending(app.warehouse.db));
  print(await answers(app.warehouse.db));
  if (pictures !== null) {
    await drawPictures(app, { folder: path.resolve(pictures), from: addDays(today, -days) });
    print(`\nPictures are in ${pictures}.`);
  }
  print(connectWords(app.databaseUrl, stay));
  if (stay && !stop.signal.aborted) await once(stop.signal, "abort");
  if (stay) print("\nStopping Postgres.");
  return 0;
}

/** `--stay`, also where npm was told instead (`npm run demo --stay`), and `--pictures` with or without a folder. Throws a UsageError for any other argument. */
function wishesOf(given: readonly string[]): Wishes {
  const unknown = given.find((argument) => argument !== "--stay" && !/^--pictures(=.+)?$/.test(argument));
  if (unknown !== undefined)
    throw fail("bad_argument", { argument: unknown, known: "--stay, --pictures, --pictures=FOLDER" });
  const drawn = given.find((argument) => argument.startsWith("--pictures"));
  return {
    stay: given.includes("--stay") || processEnvironment()["npm_config_stay"] === "true",
    pictures: drawn === undefined ? null : drawn.split("=").slice(1).join("=") || picturesFolder,
  };
}

tolerateClosedPipes();
try {
  process.exitCode = await demo(wishesOf(process.argv.slice(2)));
} catch (error) {
  process.exitCode = reportFailure(error, remark);
}
