import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pages } from "../../src/console/pages/all.ts";
import type { Console } from "../../src/console/server.ts";
import {
  chromiumPath,
  faultsOf,
  focused,
  leftOut,
  openBrowser,
  overflowsOf,
  screens,
  tabTo,
} from "../support/browser.ts";
import {
  openConsoleStage,
  operatorPassword,
  scriptName,
  viewerPassword,
  withPasswords,
  type ConsoleStage,
} from "../support/console-stage.ts";
import { addDays } from "../../src/core/day.ts";
import { exploreViews, fillExplore } from "../support/explore-rows.ts";
import { tried } from "../support/granted-stage.ts";
import { today } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

describe.skipIf(chromiumPath === null)(`the console in a browser${leftOut}`, () => {
  let stage: ConsoleStage;
  let served: Console;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-browser-"));

  beforeAll(async () => {
    stage = await openConsoleStage();
    await tried(stage.granted.adminUrl, `update core.dim_app set app_name = $$${scriptName}$$`);
    await fillExplore(stage.granted);
    const settingsFile = path.join(folder, "storehouse.yaml");
    const apps = [{ id: "com.example.app", countries: ["US"], keywords: ["lumi habit"] }];
    // a file in JSON is one in YAML
    writeFileSync(settingsFile, JSON.stringify({ portfolio: { source: "both", apps } }));
    served = await stage.start({ ...withPasswords, settingsFile, settings: { portfolio: { source: "both", apps } } });
    browser = await openBrowser();
    context = await browser.newContext({ viewport: screens[0], baseURL: served.url });
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
    await stage[Symbol.asyncDispose]();
  });

  /** Examples of each page; a day takes the first one. */
  const addresses = pages.flatMap(({ examples }) => (long ? examples : examples.slice(0, 1)));
  const fine = { status: 200, faults: [] };
  /** A grid with forms, and charts with tables: axe inspects these in both themes, at the others so in the long run. */
  const inBothThemes: ReadonlySet<string> = new Set(["/coverage?dataset=keyword_rank", "/explore"]);
  /** Those that axe inspects every day: the others are of the same parts, and inspected in the long run. */
  const inspectedDaily: ReadonlySet<string> = new Set([...inBothThemes, "/", "/runs/1?state=loaded"]);

  /** What is wrong with the page of an address. */
  async function inspected(address: string, on = page) {
    const status = (await on.goto(address))?.status();
    return { status, faults: await faultsOf(on, inBothThemes.has(address) ? { inDark: true } : {}) };
  }

  /** Whether it fits; in the long run what axe finds as well: a day it inspects the pages above and sign-in. */
  async function measured(address: string, on = page) {
    const status = (await on.goto(address))?.status();
    return { status, faults: long ? await faultsOf(on) : await overflowsOf(on) };
  }

  test("pages that axe inspects every day are there", () => {
    expect(addresses).toEqual(expect.arrayContaining([...inspectedDaily]));
  });

  test("sign-in fits both widths and axe finds nothing", async () => {
    expect(await inspected("/runs")).toEqual(fine);
    expect(page.url()).toContain("/sign-in");
  });

  test("refuses a wrong password, and lets an operator in by keyboard alone", async () => {
    await page.goto("/runs");
    expect(page.url()).toContain("/sign-in?to=%2Fruns");
    await page.keyboard.press("Tab");
    for (const [password, shown] of [
      ["not the password", "name or the password is wrong"],
      [operatorPassword, "Each run with its result"],
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
    expect(await focused(page)).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement?.id")).toBe("page");
    await page.goto("/runs");
    await tabTo(page, "1");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/runs/1");
  });

  test.each(addresses)("%s fits both widths, and axe finds nothing", async (address) => {
    expect(await (inspectedDaily.has(address) ? inspected : measured)(address)).toEqual(fine);
  });

  test("so does the page of an app's keywords", async () => {
    const [app] = await stage.stage.query<{ track_id: string }>("select track_id from core.dim_app order by app_key");
    expect(await measured(`/portfolio/${app?.track_id}/US`)).toEqual(fine);
  });

  test("so does that of keywords that the configuration lists, to which pasted ones are added once their price was seen", async () => {
    const address = "/portfolio/listed/com.example.app";
    expect(await measured(address)).toEqual(fine);
    await page.getByLabel("Keywords one per line").fill(`習慣\n${scriptName}\nlumi habit`);
    await page.getByRole("button", { name: "See what would change" }).click();
    await page.getByText("2 keywords to add").waitFor();
    if (long) expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Change the configuration" }).click();
    await page.getByText("2 added, 0 removed.").waitFor();
    expect(await page.locator("#keywords tbody tr").allInnerTexts()).toEqual([
      "lumi habit\twith the next sync",
      "習慣\twith the next sync",
      `${scriptName}\twith the next sync`,
    ]);
    expect(await page.title()).toBe("Keywords of com.example.app in the configuration · Storehouse");
    // back is the form that was agreed to, at an address of its own: a browser would want to post it again, and shows a page of its own
    await page.goBack();
    await page.getByText("This form was sent already.").waitFor();
    await page.goBack();
    await page.getByLabel("Keywords one per line").waitFor();
  });

  // a selection and its agreement are taken every day in test/console/coverage-browser.test.ts
  test.runIf(long)("so do a selection of the grid and what is to be agreed to", async () => {
    const { dataset, ...ends } = { dataset: "keyword_rank", from: addDays(today, -12), until: addDays(today, -2) };
    await page.goto(`/coverage?dataset=${dataset}`);
    const key = (await page.locator("tr[data-key]").first().getAttribute("data-key")) ?? "";
    const address = `/coverage?${new URLSearchParams({ dataset, first: key, last: key, ...ends }).toString()}`;
    expect(await measured(address)).toEqual(fine);
    await page.getByRole("button", { name: "Fill" }).click();
    await page.getByText("Nothing has been spent yet").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("so does a page about what is wrong", async () => {
    expect(await measured("/nowhere")).toEqual({ status: 404, faults: [] });
  });

  // the same page; that these get it is asserted every day in test/console/server.test.ts and audit.test.ts
  test.runIf(long)("so do others about what is wrong", async () => {
    const hasty = await stage.start({ ...withPasswords, settings: { console: { timeout_seconds: 0.3 } } });
    const other = await browser.newContext({ viewport: screens[1], baseURL: hasty.url });
    const viewer = await other.newPage();
    await viewer.goto("/sign-in");
    await viewer.getByLabel("Password").fill(viewerPassword);
    await viewer.getByRole("button").click();
    // the page after it need not come within the little time that this console gives its pages
    await viewer.waitForURL(({ pathname }) => pathname === "/");
    expect(await measured("/audit", viewer)).toEqual({ status: 403, faults: [] });
    for (let times = 0; times < 20; times += 1) await other.request.get("/credits/calculator?keywords=0&sent=1");
    expect(await measured("/credits/calculator", viewer)).toEqual({ status: 429, faults: [] });
    const holding = new pg.Client({ connectionString: stage.granted.adminUrl });
    await holding.connect();
    await holding.query("begin; lock table ops.run in access exclusive mode");
    try {
      expect(await measured("/runs?limit=7", viewer)).toEqual({ status: 503, faults: [] });
    } finally {
      await holding.end();
    }
    await other.close();
  });

  test("so does an incident with a long path", async () => {
    await stage.stage.query(
      `insert into ops.incident (kind, subject, account_id, summary, detail, opened_at, last_seen_at)
       values ('export_failed', '', '', $1, '{}', now(), now())`,
      [`the export of /var/lib/storehouse/${"exports".repeat(12)} failed`],
    );
    expect(await measured("/")).toEqual(fine);
    await stage.stage.query("update ops.incident set closed_at = now() where kind = 'export_failed'");
  });

  test("refuses a forged form: one with another token, and one that a page of another site sends", async () => {
    const slice = await stage.failedSlice();
    await page.goto(`/slices/${slice}`);
    // in one step: where the page is read again in between, the token is the right one again
    await page.getByRole("button", { name: /^Retry/ }).evaluate((button) => {
      button.closest("form")?.querySelector('input[name="_csrf"]')?.setAttribute("value", "forged");
      button.click();
    });
    await page.getByText("console_forged").waitFor();
    const fields = { slices: slice, agreed: "100" };
    const markup = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
    await page.route("http://elsewhere.invalid/", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<form method="post" action="${served.url}actions/retry">${markup.join("")}<button>Win</button></form>`,
      }),
    );
    await page.goto("http://elsewhere.invalid/");
    await page.getByRole("button").click();
    await page.getByText("console_forged").waitFor();
    expect(await stage.failedSlice()).toBe(slice);
    const made = await stage.stage.query(
      "select user_name, outcome from ops.audit where action = 'retry' order by audit_id",
    );
    // who sent the second one is not known: a browser gives no cookie to another site
    expect(made).toEqual([{ user_name: "operator", outcome: "refused" }]);
  });

  test("shows a script in the name of an app as text", async () => {
    await page.goto("/runs/1?dataset=keyword_rank");
    await page.getByText(scriptName.slice(0, 20)).first().waitFor();
    expect(await page.title()).toBe("Run 1 · Storehouse");
    expect(await page.locator("img").count()).toBe(0);
  });

  describe("Explore", () => {
    let own: Page;

    beforeAll(async () => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      own = await context.newPage();
    });
    afterAll(() => own.close());

    test("copies the SQL of a view", async () => {
      await own.goto("/explore?view=reviews");
      await own.getByRole("button", { name: "Copy SQL" }).click();
      await own.getByRole("button", { name: "Copied" }).waitFor();
      expect(await own.evaluate("navigator.clipboard.readText()")).toMatch(/^select date_day[^]*mart\.review_daily/);
    });

    test("has no view wider than the 320 pixels that a zoom of 400 % leaves", async () => {
      await own.setViewportSize({ width: 320, height: 256 });
      // a drawing with lists below it; the others in the long run
      for (const view of long ? exploreViews : (["reviews"] as const)) {
        await own.goto(`/explore?view=${view}`);
        expect([view, await own.evaluate("document.documentElement.scrollWidth")]).toEqual([view, 320]);
      }
    });

    test("shows a script in a review as text, and the drawing that suits the width", async () => {
      await own.goto("/explore?view=reviews");
      await own.locator("li.card").getByText('<script>document.title = "run"</script>').waitFor();
      expect(await own.title()).toBe("Explore · Storehouse");
      for (const [width, shown] of [
        [1280, "wide"],
        [390, "narrow"],
      ] as const) {
        await own.setViewportSize({ width, height: 800 });
        expect(
          await own.locator("figure svg").evaluateAll((all) => all.filter((svg) => svg.clientWidth > 0).length),
        ).toBe(1);
        expect(await own.locator(`.for-${shown} svg`).isVisible()).toBe(true);
      }
    });
  });

  // both without a browser every day, in test/console/actions.test.ts and audit.test.ts
  test.runIf(long)(
    "an amount above credits.ask_above has to be typed, and what was started is stopped by a button",
    async () => {
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
    },
  );

  test("retries a failed window and shows that it is loaded, without a reload", async () => {
    const slice = await stage.failedSlice();
    await page.goto(`/slices/${slice}`);
    await page.getByRole("button", { name: /^Retry/ }).click();
    await page.waitForURL("**/runs");
    await page.locator("#running .badge.good").waitFor();
    // what the action said stays when the page is read again
    expect(await page.getByText("has started and costs at most").isVisible()).toBe(true);
    await page.goto(`/slices/${slice}`);
    await page.locator("header .badge.good").waitFor();
    const [row] = await stage.stage.query(
      "select user_name, action, outcome, credits from ops.audit where action = 'retry' and user_name = 'operator' and outcome <> 'refused'",
    );
    expect(row).toEqual({ user_name: "operator", action: "retry", outcome: "done", credits: 3 });
  });

  test("a live page that is read again keeps what a person opened, and says when it is live no longer", async () => {
    await page.goto("/credits");
    await page.locator("#by-day summary").click();
    await page.evaluate("document.querySelector('h1').textContent = 'old'");
    await stage.stage.query(
      "insert into ops.run (kind, as_of, datasets, started_at) values ('sync', now(), '{}', now())",
    );
    await page.getByText("old", { exact: true }).waitFor({ state: "detached" });
    expect(await page.locator("#by-day details").getAttribute("open")).not.toBeNull();
    const answers = [
      [null, "does not respond"],
      [{ status: 401 }, "You are signed out"],
    ] as const;
    for (const [answer, says] of long ? answers : answers.slice(0, 1)) {
      await page.route("**/live?*", (route) => (answer === null ? route.abort() : route.fulfill(answer)));
      await page.goto("/credits");
      await page.locator("#live-notice").getByText(says).waitFor();
      if (long) expect(await faultsOf(page)).toEqual([]);
      await page.unroute("**/live?*");
    }
  });

  test("reads without JavaScript", async () => {
    const plain = await browser.newContext({
      javaScriptEnabled: false,
      baseURL: served.url,
      storageState: await context.storageState(),
    });
    const reading = await plain.newPage();
    // a day reads the grid; test/console/server.test.ts reads all pages without a browser
    const read = long ? pages.filter(({ inNavigation }) => inNavigation === true) : [];
    for (const { path: address, title } of read) {
      await reading.goto(address);
      expect([title, await reading.locator("main h1").isVisible()]).toEqual([title, true]);
      const text = await reading.locator("main").innerText();
      expect([title, text.length > 300, text.includes("Loading")]).toEqual([title, true, false]);
    }
    await reading.setViewportSize(screens[1]);
    await reading.goto("/coverage?dataset=keyword_rank");
    expect(await reading.locator("td.loaded").count()).toBeGreaterThan(0);
    // the newest days are in sight, not the oldest
    const newest = await reading.locator("thead th[data-from]").last().boundingBox();
    expect((newest?.x ?? 0) + (newest?.width ?? 0)).toBeLessThan(screens[1].width);
    expect(await reading.locator("#selection").innerText()).toContain("why");
    await plain.close();
  });

  /** What a person reads on the page. */
  const readOnIt = async () => [await page.title(), await page.locator("main h1").innerText()];

  const failures: readonly (readonly [number | null, string])[] = [
    [503, "The database does not respond in time"],
    // these two have the words of a stream that broke off, which the test above reads every day
    [null, "does not respond"],
    // in the words for one that is not there
    [500, "does not respond"],
  ];

  test.each(long ? failures : failures.slice(0, 1))(
    "one that cannot be read again stays as it was and says so: %s",
    async (status, says) => {
      await page.goto("/credits");
      const body = "<title>Gone</title><main id=page><h1>Not now</h1></main>";
      await page.route("**/credits", (route) =>
        status === null ? route.abort() : route.fulfill({ status, contentType: "text/html", body }),
      );
      const notice = page.locator("#live-notice");
      const change = "insert into ops.run (kind, as_of, datasets, started_at) values ('sync', now(), '{}', now())";
      await stage.stage.query(change);
      await notice.getByText(says).waitFor();
      expect(await readOnIt()).toEqual(["Credits · Storehouse", "Credits"]);
      await page.unroute("**/credits");
      await stage.stage.query(change);
      await notice.waitFor({ state: "hidden" });
    },
  );

  // ends the session, so it comes last
  test("one whose reader has signed out in another tab stays as it was and says so", async () => {
    const other = await context.newPage();
    await page.goto("/credits");
    await other.goto("/runs");
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.locator("#live-notice").getByText("You are signed out").waitFor();
    expect(await readOnIt()).toEqual(["Credits · Storehouse", "Credits"]);
  });
});
