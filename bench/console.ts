import type { Browser, Page } from "playwright-core";
import { createApp, type App } from "../src/app.ts";
import { print, remark } from "../src/cli/output.ts";
import { Settings } from "../src/config/settings.ts";
import { startConsole } from "../src/console/server.ts";
import { migrate } from "../src/postgres/migrate.ts";
import { openBrowser, screens } from "../test/support/browser.ts";
import { ownCpuSince, postgresCpu } from "./cpu.ts";
import { machineOf } from "./machine.ts";
import { openBenchPostgres } from "./postgres.ts";
import { fillLedger } from "./scale-ledger.ts";
import { today } from "./scale-size.ts";
import { spreadOf } from "./statistics.ts";
import { timed } from "./stopwatch.ts";
import { plain } from "./table.ts";

/*
 * npm run bench:console
 *
 * How long a person waits for a year of the grid of coverage, in a Chromium of this machine: 1,000 partitions by 365 days, all loaded. Each
 * round has a new console and page, so that nothing is cached from the round before. It prints medians.
 */

const account = { apps: 100, countries: 10, keywords: 100, days: 365 } as const;
const partitions = account.apps * account.countries;
const rounds = 9;

/** Times in ms; for the first opening also the processor time of each side. */
type Opened = {
  readonly first: number;
  readonly end: number;
  readonly again: number;
  readonly cpu: { readonly node: number; readonly postgres: number; readonly page: number };
};

/** Processor time of the page itself, in ms: reading, laying out, painting, its script. */
async function pageCpu(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  };
}

async function open(app: App, browser: Browser): Promise<Opened> {
  await using served = await startConsole(app, { port: 0 });
  const page = await browser.newPage({ viewport: screens[0], baseURL: served.url });
  const shown = () => page.locator("tr[data-row] td.loaded").first().waitFor();
  const ofPage = await pageCpu(page);
  const [usage, before] = [process.cpuUsage(), await postgresCpu(postgres.client)];
  const first = await timed(async () => {
    await page.goto("/coverage?dataset=keyword_rank&days=365", { waitUntil: "commit" });
    await shown();
  });
  const cpu = {
    node: ownCpuSince(usage),
    postgres: (await postgresCpu(postgres.client)) - before,
    page: await ofPage(),
  };
  const end = await timed(async () => {
    await page.locator(".grid-wrap").evaluate((wrap) => {
      wrap.scrollTop = wrap.scrollHeight;
    });
    await page.locator(`tr[data-row="${partitions - 1}"]`).waitFor();
  });
  const again = await timed(async () => {
    await page.reload({ waitUntil: "commit" });
    await shown();
  });
  await page.close();
  return { first: first.ms, end: end.ms, again: again.ms, cpu };
}

await using postgres = await openBenchPostgres();
await migrate(postgres.url);
await postgres.client.query(`alter database bench set storehouse.today = '${today}'`);
remark("a year of a thousand partitions");
await fillLedger(postgres.client, { account, fromApp: 0 });
const environment = { DATABASE_URL: postgres.url, LOG_LEVEL: "error" } as const;
await using app = await createApp({ environment, settings: Settings.parse({}), home: postgres.folder }, today);
await using browser = await openBrowser();
const opened: Opened[] = [];
for (let round = 0; round < rounds; round += 1) opened.push(await open(app, browser));
const row = (words: string, of: (one: Opened) => number) => {
  const { median, least, greatest } = spreadOf(opened.map(of));
  return [words, ...[median, least, greatest].map((ms) => `${Math.round(ms)} ms`)];
};
print(
  `${machineOf(postgres.version)}\n\n${plain({
    title: `Coverage, ${partitions} partitions by ${account.days} days, in Chromium`,
    head: ["", "median", "minimum", "maximum"],
    rows: [
      row("open, until its cells are shown", ({ first }) => first),
      row("processor time for that: console", ({ cpu }) => cpu.node),
      row("Postgres", ({ cpu }) => cpu.postgres),
      row("the page", ({ cpu }) => cpu.page),
      row("all three together", ({ cpu }) => cpu.node + cpu.postgres + cpu.page),
      row("scroll to the last partition", ({ end }) => end),
      row("open again", ({ again }) => again),
    ],
  })}`,
);
