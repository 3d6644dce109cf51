import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Console } from "../../src/console/server.ts";
import { chromiumPath, leftOut, openBrowser } from "../support/browser.ts";
import { openConsoleStage, operatorPassword, withPasswords, type ConsoleStage } from "../support/console-stage.ts";
import { long } from "../support/long.ts";

describe.skipIf(chromiumPath === null)(`a live page that cannot be read again${leftOut}`, () => {
  let stage: ConsoleStage;
  let served: Console;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    stage = await openConsoleStage();
    served = await stage.start(withPasswords);
    browser = await openBrowser();
    context = await browser.newContext({ baseURL: served.url });
    const page = await context.newPage();
    await page.goto("/sign-in");
    await page.getByLabel("Password").fill(operatorPassword);
    await page.getByRole("button").click();
    await page.waitForURL(served.url);
    await page.close();
  });
  afterAll(async () => {
    await browser.close();
    await stage[Symbol.asyncDispose]();
  });

  /** What a person reads on the page. */
  const readOn = async (page: Page) => [await page.title(), await page.locator("main h1").innerText()];

  const failures: readonly (readonly [number | null, string])[] = [
    [503, "The database does not respond in time"],
    // these two have the words of a stream that broke off, which test/console/browser.test.ts reads every day
    [null, "does not respond"],
    // in the words for one that is not there
    [500, "does not respond"],
  ];

  test.each(long ? failures : failures.slice(0, 1))("stays as it was and says so: %s", async (status, says) => {
    const page = await context.newPage();
    await page.goto("/credits");
    const body = "<title>Gone</title><main id=page><h1>Not now</h1></main>";
    await page.route("**/credits", (route) =>
      status === null ? route.abort() : route.fulfill({ status, contentType: "text/html", body }),
    );
    const notice = page.locator("#live-notice");
    const change = "insert into ops.run (kind, as_of, datasets, started_at) values ('sync', now(), '{}', now())";
    await stage.stage.query(change);
    await notice.getByText(says).waitFor();
    expect(await readOn(page)).toEqual(["Credits · Storehouse", "Credits"]);
    await page.unroute("**/credits");
    await stage.stage.query(change);
    await notice.waitFor({ state: "hidden" });
    await page.close();
  });

  test("stays as it was where its reader has signed out in another tab", async () => {
    const [page, other] = [await context.newPage(), await context.newPage()];
    await page.goto("/credits");
    await other.goto("/runs");
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.locator("#live-notice").getByText("You are signed out").waitFor();
    expect(await readOn(page)).toEqual(["Credits · Storehouse", "Credits"]);
  });
});
