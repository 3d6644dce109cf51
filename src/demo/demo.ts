import path from "node:path";
import { createApp, type App } from "../app.ts";
import { answeredQuestions, connectWords, martCounts, rowCounts, spending } from "./report.ts";
import { print, remark, tolerateClosedPipes } from "../cli/output.ts";
import { drawPictures, picturesFolder } from "./pictures.ts";
import { everythingShow, rankShow, weekShow, type DemoShow } from "./shows.ts";
import { continueAllowance, runNights, startWorker } from "./week.ts";
import { reportFailure } from "../cli/report-failure.ts";
import { stopSignal, untilStopped } from "../cli/stop-signal.ts";
import { projectRoot, type Config } from "../config/config.ts";
import { processEnvironment } from "../config/env.ts";
import { Settings } from "../config/settings.ts";
import { startConsole } from "../console/server.ts";
import { count, countOf, listed } from "../core/words.ts";
import { fail } from "../core/errors.ts";
import { syncInForeground } from "../foreground.ts";
import type { SyncResult } from "../runs/run-parts.ts";
import { startSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import { withProgress } from "../cli/commands/sync.ts";

/** Enough to be quick on two cores; requests to the real service keep to the pace in config/storehouse.yaml. */
const pace = { requests_per_second: 1000, concurrency: 8, retry_seconds: 0.05 };

/** The demo's own settings and database folder: synthetic data never meets real data. */
function demoConfig(sandbox: Sandbox, { settings, folder }: DemoShow): Config {
  return {
    environment: { API_BASE_URL: sandbox.url, API_TOKEN: sandbox.token, LOG_LEVEL: "error" },
    settings: Settings.parse({ ...settings, api: pace }),
    home: path.resolve(processEnvironment()["STOREHOUSE_HOME"] ?? path.join(projectRoot, ".storehouse"), folder),
  };
}

async function load(app: App, { datasets, bounds }: DemoShow, stop: AbortSignal): Promise<SyncResult> {
  const request = { datasets, bounds, today: app.clock.today() };
  const result = await withProgress(app, (progress) =>
    syncInForeground(app, { request, maxCredits: null, stop, progress }),
  );
  if (result.error !== null) throw result.error;
  return result;
}

/** Loads a show, all of it at once or night by night. Returns the exit code. */
async function loadShow(app: App, sandbox: Sandbox, { show, stop }: Shown): Promise<number> {
  if (show.nights !== undefined) {
    await runNights(app, { sandbox, clock: show.nights, run: () => loadNight(app, { show, stop }) });
    return stop.aborted ? stopped : 0;
  }
  const { progress, outcome } = await load(app, show, stop);
  print(
    progress.total === 0
      ? "\nEverything is already loaded: no credits spent."
      : `\n${count(progress.credits)} credits spent in this run.`,
  );
  return outcome === "loaded" ? 0 : outcome === "interrupted" ? stopped : 1;
}

async function loadNight(app: App, { show, stop }: Shown): Promise<void> {
  if (stop.aborted) return;
  const { progress } = await load(app, show, stop);
  const facts = `${countOf(progress.total, "slice")}, ${count(progress.failed)} failed, ${countOf(progress.credits, "credit")} spent`;
  print(`Night of ${app.clock.today()}: ${facts}.`);
}

/** The exit code after Ctrl-C. */
const stopped = 130;

type Shown = { readonly show: DemoShow; readonly stop: AbortSignal };

type DemoOptions = { readonly show: DemoShow; readonly stay: boolean; readonly pictures: string | null };

async function demo({ show, stay, pictures }: DemoOptions): Promise<number> {
  const { today, market } = show;
  const stop = stopSignal();
  print(`Storehouse demo: ${show.words}.`);
  print("Starting Postgres 18 and the sandbox API on loopback ...");
  const onNights = show.nights === undefined ? {} : { clock: show.nights };
  await using sandbox = await startSandbox({ today, market, ...onNights, ...show.sandbox });
  await using opened = await createApp(demoConfig(sandbox, show), today);
  const app = { ...opened, ...onNights };
  await continueAllowance(app, sandbox);
  const code = await loadShow(app, sandbox, { show, stop: stop.signal });
  if (code !== 0) return code;
  print(await rowCounts(app.warehouse.db));
  print(await spending(app.warehouse.db));
  print(show === rankShow ? await answeredQuestions(app.warehouse.db) : await martCounts(app.warehouse.db));
  if (pictures !== null) {
    await drawPictures(app, { folder: path.resolve(pictures), from: show.bounds.start });
    print(`\nPictures are in ${pictures}.`);
  }
  await using _ = stay && show.nights !== undefined ? await startWorker(app) : null;
  await using served = stay ? await startConsole(app) : null;
  print(connectWords(app.databaseUrl, served?.url ?? null));
  if (stay) await untilStopped(stop.signal);
  if (stay) print("\nStopping Postgres.");
  return 0;
}

const shows = { everything: everythingShow, week: weekShow } as const;

/**
 * `--stay`; `--everything` or `--week` for a show other than keyword ranks; and `--pictures`, of keyword ranks, with or without a folder.
 * Also if npm took the options itself (`npm run demo --stay`). Throws a UsageError for any other argument.
 */
function optionsOf(given: readonly string[]): DemoOptions {
  const known = ["--stay", ...Object.keys(shows).map((name) => `--${name}`)];
  const unknown = given.find((argument) => !known.includes(argument) && !/^--pictures(=.+)?$/.test(argument));
  if (unknown !== undefined)
    throw fail("bad_argument", {
      problem: `${unknown} is not an option of the demo; it has ${listed([...known, "--pictures", "--pictures=FOLDER"], 9)}`,
    });
  const drawn = given.find((argument) => argument.startsWith("--pictures"));
  const isSaid = (name: string) => given.includes(`--${name}`) || processEnvironment()[`npm_config_${name}`] === "true";
  const [chosen] = Object.entries(shows).filter(([name]) => isSaid(name));
  if (chosen !== undefined && drawn !== undefined)
    throw fail("bad_argument", { problem: `--${chosen[0]} draws no pictures: leave ${drawn} out` });
  return {
    show: chosen?.[1] ?? rankShow,
    stay: isSaid("stay"),
    pictures: drawn === undefined ? null : drawn.split("=").slice(1).join("=") || picturesFolder,
  };
}

tolerateClosedPipes();
try {
  process.exitCode = await demo(optionsOf(process.argv.slice(2)));
} catch (error) {
  process.exitCode = await reportFailure(error, remark);
}
