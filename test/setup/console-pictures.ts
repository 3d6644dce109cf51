import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { projectRoot } from "../../src/config/config.ts";
import { chromiumPath, openBrowser, screens } from "../support/browser.ts";

/*
 * `npm run pictures`: takes the pictures of the console that README and docs show, on the demo of a week, by a Chromium of this machine that has
 * fonts for Japanese and emoji (`apt-get install fonts-noto-cjk fonts-noto-color-emoji`). They are viewed before they are committed.
 */

/** A picture: its name, address, which of the screens it is for, what is waited for, and what is done before it is taken. */
type Shot = {
  readonly name: string;
  readonly address: string;
  readonly screen: 0 | 1;
  /** In pixels, where more of the page belongs into it. */
  readonly height?: number;
  readonly until?: string;
  readonly first?: (page: Page) => Promise<void>;
};

const shots: readonly Shot[] = [
  // the worker opens the incident and prices the nights a moment after its start
  { name: "console-today", address: "/", screen: 0, height: 1360, until: "#incidents:not([hidden]) ~ #cards #next li" },
  { name: "console-today-narrow", address: "/", screen: 1 },
  { name: "console-runs", address: "/runs", screen: 0 },
  { name: "console-run", address: "/runs/6?state=failed", screen: 0 },
  { name: "console-credits", address: "/credits?days=14", screen: 0 },
  {
    name: "console-calculator",
    address: "/credits/calculator?apps=5&countries=US,GB,DE&keywords=200",
    screen: 0,
  },
  { name: "console-portfolio", address: "/portfolio", screen: 0 },
  { name: "console-coverage", address: "/coverage", screen: 0, height: 1080, until: "td.failed", first: selectFailed },
  { name: "console-explore", address: "/explore?keyword=c%2B%2B+%26+c%23", screen: 0 },
];

/** Drags over the failed cells and some around them. */
async function selectFailed(page: Page): Promise<void> {
  const failed = page.locator("td.failed");
  await failed.first().hover();
  await page.mouse.down();
  await failed.last().hover();
  await page.mouse.up();
  await page.locator("#selection").getByRole("button", { name: "Retry" }).waitFor();
}

if (chromiumPath === null) throw new Error("there is no Chromium on this machine: `apt-get install chromium`");
// a week that nobody has loaded or mended before
const home = mkdtempSync(path.join(tmpdir(), "storehouse-pictures-"));
const demo = spawn(process.execPath, [path.join(projectRoot, "src/demo/demo.ts"), "--week", "--stay"], {
  stdio: ["ignore", "pipe", "inherit"],
  env: { ...process.env, STOREHOUSE_HOME: home },
});
try {
  const url = await addressOf(demo.stdout);
  const browser = await openBrowser();
  for (const { name, address, screen, height = 860, until, first } of shots) {
    const viewport = { ...screens[screen], height };
    const page = await browser.newPage({ viewport, colorScheme: "light", baseURL: url });
    await page.goto(address);
    if (until !== undefined) await page.locator(until).first().waitFor();
    await first?.(page);
    await page.screenshot({ path: path.join(projectRoot, "docs/pictures", `${name}.png`) });
    await page.close();
  }
  await browser.close();
} finally {
  demo.kill("SIGINT");
  await once(demo, "exit");
  rmSync(home, { recursive: true, force: true });
}

/** The address that the demo prints; throws when it ends without one. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of output) {
    text += String(chunk);
    const [, url] = /console +(http:\S+)/.exec(text) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`the demo printed no address of a console: ${text.slice(-500)}`);
}
