import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pages } from "../../src/console/pages/all.ts";
import type { Console } from "../../src/console/server.ts";
import { chromiumPath, leftOut, openBrowser, overflow, screens, violations } from "../support/browser.ts";
import {
  openConsoleStage,
  operatorPassword,
  scriptName,
  withPasswords,
  type ConsoleStage,
} from "../support/console-stage.ts";
import { addDays } from "../../src/core/day.ts";
import { tried } from "../support/granted-stage.ts";
import { today } from "../support/ingest-stage.ts";

describe.skipIf(chromiumPath === null)(`the console in a browser${leftOut}`, () => {
  let stage: ConsoleStage;
  let served: Console;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let narrowAndDark: Page;

  beforeAll(async () => {
    stage = await openConsoleStage();
    await tried(stage.granted.adminUrl, `update core.dim_app set app_name = $$${scriptName}$$`);
    served = await stage.start(withPasswords);
    browser = await openBrowser();
    context = await browser.newContext({ viewport: screens[0], baseURL: served.url });
    page = await context.newPage();
    narrowAndDark = await context.newPage();
    await narrowAndDark.setViewportSize(screens[1]);
    await narrowAndDark.emulateMedia({ colorScheme: "dark" });
  });
  afterAll(async () => {
    await browser.close();
    await stage[Symbol.asyncDispose]();
  });

  const addresses = pages.flatMap(({ examples }) => examples);

  test("refuses a wrong password, and lets an operator in by keyboard alone", async () => {
    await page.goto("/runs");
    expect(page.url()).toContain("/sign-in?to=%2Fruns");
    await page.keyboard.press("Tab");
    for (const [password, shown] of [
      ["not the password", "name or password is wrong"],
      [operatorPassword, "What was run"],
    ]) {
      await page.getByLabel("Password").focus();
      await page.keyboard.type(password ?? "");
      await page.keyboard.press("Enter");
      await page.getByText(shown ?? "").waitFor();
    }
    expect(new URL(page.url()).pathname).toBe("/runs");
  });

  test("is walked through by keyboard: the link past the navigation, the navigation, a run, a slice", async () => {
    await page.goto("/");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Skip to the page");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement?.id")).toBe("page");
    await page.goto("/runs");
    await tabTo(page, "1");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/runs/1");
  });

  test.each(addresses)("%s fits both widths and axe finds nothing, in light and dark", async (address) => {
    const looked = async (one: Page) => ({
      status: (await one.goto(address))?.status(),
      overflow: await overflow(one),
      violations: await violations(one),
    });
    const fine = { status: 200, overflow: 0, violations: [] };
    // side by side: most of the time goes to loading and to axe
    expect(await Promise.all([page, narrowAndDark].map(looked))).toEqual([fine, fine]);
  });

  test("shows a script in the name of an app as text", async () => {
    await page.goto("/runs/1?dataset=keyword_rank");
    await page.getByText(scriptName.slice(0, 20)).first().waitFor();
    expect(await page.title()).toBe("Run · Storehouse");
    expect(await page.locator("img").count()).toBe(0);
  });

  test("an amount above credits.ask_above has to be typed, and what was started is stopped by a button", async () => {
    const slice = await stage.failedSlice();
    stage.stage.sandbox.set({
      faults: [{ operation: "ios.keyword-ranking", contains: addDays(today, -2), times: 100, kind: "stall" }],
    });
    const careful = await stage.start({ settings: { credits: { ask_above: 2 } } });
    const own = await browser.newPage({ viewport: screens[1], baseURL: careful.url });
    await own.goto(`/slices/${slice}`);
    await own.getByRole("button", { name: /^Retry/ }).click();
    await own.getByText("more than credits.ask_above (2)").waitFor();
    // the field has the focus: nothing but the keyboard is needed
    for (const [typed, shown] of [
      ["4", "The number does not match."],
      ["3", "under way"],
    ] as const) {
      await own.keyboard.type(typed);
      await own.keyboard.press("Enter");
      await own.getByText(shown).first().waitFor();
    }
    await own.getByRole("button", { name: "Stop" }).click();
    await own.locator("#running .badge.warn", { hasText: "interrupted" }).waitFor();
    await own.close();
    const deeds = await stage.stage.query(
      "select action, outcome, credits from ops.audit where user_name = 'local' order by audit_id",
    );
    expect(deeds).toEqual([
      { action: "retry", outcome: "done", credits: 3 },
      { action: "stop", outcome: "done", credits: 0 },
    ]);
    stage.stage.sandbox.set({ faults: [] });
    expect(await stage.failedSlice()).toBe(slice);
  });

  test("retries a failed window and shows that it is loaded, without a reload", async () => {
    const slice = await stage.failedSlice();
    await page.goto(`/slices/${slice}`);
    await page.getByRole("button", { name: /^Retry/ }).click();
    await page.waitForURL("**/runs");
    await page.locator("#running .badge.good").waitFor();
    await page.goto(`/slices/${slice}`);
    await page.locator("header .badge.good").waitFor();
    const [row] = await stage.stage.query(
      "select user_name, action, outcome, credits from ops.audit where action = 'retry' and user_name = 'operator'",
    );
    expect(row).toEqual({ user_name: "operator", action: "retry", outcome: "done", credits: 3 });
  });

  test("reads without JavaScript", async () => {
    const plain = await browser.newContext({
      javaScriptEnabled: false,
      baseURL: served.url,
      storageState: await context.storageState(),
    });
    const reading = await plain.newPage();
    await reading.goto("/runs");
    expect(await reading.getByRole("row").count()).toBeGreaterThan(1);
    await plain.close();
  });
});

function focused(page: Page): Promise<string> {
  return page.evaluate("document.activeElement?.textContent?.trim() ?? ''");
}

/** Presses Tab until an element with this text has the focus. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed += 1) {
    await page.keyboard.press("Tab");
    if ((await focused(page)) === text) return;
  }
  throw new Error(`no element with the text ${text} gets the focus`);
}
