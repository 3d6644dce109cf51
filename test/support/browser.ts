import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type Page } from "playwright-core";

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
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
  return chromium.launch({ executablePath: chromiumPath ?? "", headless: true, args });
}

/** Widths at which every page is to be read, with the height of such a screen. */
export const screens = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
let axeText: string | null = null;

/** What axe finds wrong on the page, a line each. */
export async function violations(page: Page): Promise<readonly string[]> {
  axeText ??= readFileSync(axe, "utf8");
  // past the policy of the page, which lets no script in
  await page.evaluate(axeText);
  return page.evaluate(async () => {
    type Found = {
      readonly id: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
    };
    const { axe: checker } = globalThis as unknown as { axe: { run: () => Promise<{ violations: readonly Found[] }> } };
    const result = await checker.run();
    return result.violations.map(({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary ?? ""}`).join(" | ")}`.slice(0, 600),
    );
  });
}

/** How many pixels the page is wider than its screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
