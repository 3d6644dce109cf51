import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { projectRoot } from "../../src/config/config.ts";
import { chromiumPath, openBrowser, screens } from "../support/browser.ts";

/*
 * `npm run pictures`: takes the pictures of the console that README and docs show, on the demo of a week, by a Chromium of this machine that has
 * fonts for Japanese and emoji (`apt-get install fonts-noto-cjk fonts-noto-color-emoji`). They are looked at before they are committed.
 */

/** Name of the picture, address, and which of the screens it is for. */
const shots = [
  ["console-today", "/", 0],
  ["console-today-narrow", "/", 1],
  ["console-run", "/runs/1", 0],
  ["console-credits", "/credits?days=7", 0],
  ["console-calculator", "/credits/calculator?apps=5&countries=US,GB,DE&keywords=200", 0],
  ["console-portfolio", "/portfolio", 0],
  ["console-coverage", "/coverage?days=60", 0],
  ["console-explore", "/explore?app=ios%3A6446318020&country=US", 0],
] as const;

if (chromiumPath === null) throw new Error("there is no Chromium on this machine: `apt-get install chromium`");
const demo = spawn(process.execPath, [path.join(projectRoot, "src/demo/demo.ts"), "--week", "--stay"], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const url = await addressOf(demo.stdout);
  const browser = await openBrowser();
  for (const [name, address, screen] of shots) {
    const viewport = { ...screens[screen], height: 860 };
    const page = await browser.newPage({ viewport, colorScheme: "light", baseURL: url });
    await page.goto(address);
    await page.screenshot({ path: path.join(projectRoot, "docs/pictures", `${name}.png`) });
    await page.close();
  }
  await browser.close();
} finally {
  demo.kill("SIGINT");
  await once(demo, "exit");
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
