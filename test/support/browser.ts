import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type Page } from "playwright-core";
import { long } from "./long.ts";

/** The Chromium of this machine; null where there is none. */
export const chromiumPath: string | null =
  [
    process.env["CHROMIUM_PATH"] ?? "",
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ].find((path) => path !== "" && existsSync(path)) ?? null;

/** Why tests in a browser are left out, for the name of their group. */
export const leftOut = chromiumPath === null ? " (left out: there is no Chromium; `apt-get install chromium`)" : "";

/** Starts it without a window. */
export function openBrowser(): Promise<Browser> {
  // root may not sandbox its pages, and a container has little shared memory
  const here = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
  // a process for drawing, and spare ones for pages to come, take a tenth of the processor time of these tests
  const few = ["--in-process-gpu", "--no-zygote", "--renderer-process-limit=1"];
  const args = [...here, ...few];
  return chromium.launch({ executablePath: chromiumPath ?? "", headless: true, args });
}

/** Widths at which every page is to be read, with the height of such a screen. */
export const screens = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
let axeText: string | null = null;

/** What axe finds wrong on the page, a line each; `rules` where only some of them count. */
async function violations(page: Page, rules: readonly string[] = []): Promise<readonly string[]> {
  axeText ??= readFileSync(axe, "utf8");
  // past the policy of the page, which lets no script in
  await page.evaluate(axeText);
  return page.evaluate(async (only) => {
    type Found = {
      readonly id: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
    };
    type Checker = { run: (options: object) => Promise<{ violations: readonly Found[] }> };
    const { axe: checker } = globalThis as unknown as { axe: Checker };
    // what passes is not requested: to list it takes longer than to find what does not
    const rulesToRun = only.length === 0 ? {} : { runOnly: { type: "rule", values: only } };
    const result = await checker.run({ resultTypes: ["violations"], ...rulesToRun });
    return result.violations.map(({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary ?? ""}`).join(" | ")}`.slice(0, 600),
    );
  }, rules);
}

/** By how many pixels the page as it is is wider than each of the screens, a line each; nothing where it fits. */
export async function overflowsOf(page: Page): Promise<readonly string[]> {
  const own = page.viewportSize() ?? screens[0];
  const found: string[] = [];
  for (const screen of screens) {
    await page.setViewportSize(screen);
    const wider = await overflow(page);
    if (wider > 0) found.push(`at ${screen.width}: ${wider} pixels too wide`);
  }
  await page.setViewportSize(own);
  return found;
}

/**
 * What is wrong with the page as it is: how many pixels it is wider than each of the screens, and what axe finds. Axe inspects the width
 * that the page has, in light, and in dark as well where that is wanted; in the long run at each width in both.
 */
export async function faultsOf(page: Page, { inDark = long } = {}): Promise<readonly string[]> {
  const own = page.viewportSize() ?? screens[0];
  const found: string[] = [];
  for (const screen of screens) {
    await page.setViewportSize(screen);
    const wider = await overflow(page);
    const at = `at ${screen.width}: `;
    if (wider > 0) found.push(`${at}${wider} pixels too wide`);
    if (!long && screen.width !== own.width) continue;
    found.push(...(await violations(page)).map((one) => at + one));
    if (inDark) found.push(...(await violationsInDark(page)).map((one) => `${at}dark: ${one}`));
  }
  await page.setViewportSize(own);
  return found;
}

async function violationsInDark(page: Page): Promise<readonly string[]> {
  // at once: a colour on its way to another has too little contrast
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  // colours are all that differs
  const found = await violations(page, ["color-contrast"]);
  await page.emulateMedia({ colorScheme: "light" });
  return found;
}

/** Presses Tab until an element with this text has the focus. */
export async function tabTo(page: Page, text: string | RegExp): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press("Tab");
    const found = await focused(page);
    if (typeof text === "string" ? found === text : text.test(found)) return;
  }
  throw new Error(`no element with the text ${String(text)} gets the focus`);
}

/** The text of the element that has the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate("document.activeElement?.textContent?.trim() ?? ''");
}

/** How many pixels the page is wider than its screen. */
function overflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
