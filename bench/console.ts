import { createApp, type App } from "../src/app.ts";
import { print, remark } from "../src/cli/output.ts";
import { Settings } from "../src/config/settings.ts";
import { startConsole } from "../src/console/server.ts";
import { migrate } from "../src/postgres/migrate.ts";
import { openBrowser, screens } from "../test/support/browser.ts";
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
 * round has a console and a page of its own, so that nothing is kept from the round before; shown are medians.
 */

const account = { apps: 100, countries: 10, keywords: 100, days: 365 } as const;
const partitions = account.apps * account.countries;
const rounds = 9;

type Opened = { readonly first: number; readonly end: number; readonly again: number; readonly cpu: number };

async function open(app: App, browser: Awaited<ReturnType<typeof openBrowser>>): Promise<Opened> {
  await using served = await startConsole(app, { port: 0 });
  const page = await browser.newPage({ viewport: screens[0], baseURL: served.url });
  const shown = () => page.locator("tr[data-row] td.loaded").first().waitFor();
  const usage = process.cpuUsage();
  const first = await timed(async () => {
    await page.goto("/coverage?dataset=keyword_rank&days=365", { waitUntil: "commit" });
    await shown();
  });
  const { user, system } = process.cpuUsage(usage);
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
  return { first: first.ms, end: end.ms, again: again.ms, cpu: (user + system) / 1000 };
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
    head: ["", "median", "least", "greatest"],
    rows: [
      row("opened, until its cells are shown", ({ first }) => first),
      row("of that, processor time of the console", ({ cpu }) => cpu),
      row("scrolled to the last partition", ({ end }) => end),
      row("opened again", ({ again }) => again),
    ],
  })}`,
);
