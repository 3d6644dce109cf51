import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Console } from "../../src/console/server.ts";
import { chromiumPath, leftOut, openBrowser, tabTo } from "../support/browser.ts";
import { openConsoleStage, type ConsoleStage } from "../support/console-stage.ts";
import { coverageGrid, dayAt, hundredsOfPartitions } from "../support/coverage-page.ts";
import { until } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

describe.skipIf(chromiumPath === null)(`the grid in a browser${leftOut}`, () => {
  let stage: ConsoleStage;
  let served: Console;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    stage = await openConsoleStage();
    served = await stage.start();
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 }, baseURL: served.url });
  });
  afterAll(async () => {
    await browser.close();
    await stage[Symbol.asyncDispose]();
  });

  let many: Promise<Console> | undefined;
  /** A console of the same warehouse with hundreds of partitions, one for all tests. */
  const startMany = () => (many ??= stage.start(hundredsOfPartitions));

  const cell = (row: number, column: number) => page.locator(`tr[data-row="${row}"] td`).nth(column);
  const panel = (text: string | RegExp) => page.locator("#selection").getByText(text).first();

  /** Where a cell is; rows are drawn anew when the ledger changes, and then it has no place for a moment. */
  async function placeOf(one: Locator): Promise<{ readonly x: number; readonly y: number }> {
    for (;;) {
      await one.waitFor();
      const box = await one.boundingBox();
      if (box !== null) return box;
    }
  }

  async function drag(from: Locator, to: Locator): Promise<void> {
    const [start, end] = [await placeOf(from), await placeOf(to)];
    await page.mouse.move(start.x + 6, start.y + 8);
    await page.mouse.down();
    await page.mouse.move(end.x + 6, end.y + 8, { steps: 6 });
    await page.mouse.up();
  }

  test("a gap is filled by dragging over it: the price, an agreement, and its cells turn without a reload", async () => {
    await page.goto(coverageGrid);
    const spent = () => stage.stage.query("select count(*)::int as n from ops.request where dataset = 'keyword_rank'");
    const [before] = await spent();
    await drag(cell(0, 2), cell(0, 4));
    await panel("1 partition × 3 days").waitFor();
    const price = Number(/at most\s+(\d+) credit/.exec((await page.locator("#selection").textContent()) ?? "")?.[1]);
    expect(price).toBeGreaterThan(0);
    expect(await spent()).toEqual([before]);
    expect(new URL(page.url()).searchParams.get("from")).toBe(dayAt(2));
    await page.getByRole("button", { name: "Fill" }).click();
    await page.getByRole("button", { name: `Fill for ${price} credits` }).click();
    await page.waitForURL(/\/coverage/);
    for (const column of [2, 3, 4]) await page.locator(`tr[data-row="0"] td:nth-child(${column + 2}).loaded`).waitFor();
    expect(await cell(0, 5).getAttribute("class")).toBeNull();
    expect(await cell(1, 2).getAttribute("class")).toBeNull();
    const [deed] = await stage.stage.query(
      "select action, credits, outcome, subject::json ->> 'cells' as cells from ops.audit order by audit_id desc limit 1",
    );
    const cells = `1 partition, ${dayAt(2)} to ${dayAt(4)}`;
    expect(deed).toEqual({ action: "fill", credits: price, outcome: "done", cells });
    const [run] = await stage.stage.query(
      "select coalesce(sum(q.cost), 0)::int as spent from ops.request as q join ops.slice as s using (slice_id) where s.plan_id = (select max(plan_id) from ops.plan)",
    );
    expect(run?.["spent"]).toBeLessThanOrEqual(price);
  });

  test("a failed cell says why, and is retried from there", async () => {
    await page.goto(coverageGrid);
    const failed = page.locator("td.failed").first();
    await failed.click();
    await panel(/server_error|http|500/).waitFor();
    await page.getByRole("button", { name: "Retry" }).click();
    await page.waitForURL(/\/coverage/);
    await failed.waitFor({ state: "detached" });
    expect(await stage.failedSlice()).toBe("");
  });

  test("cells are selected by keyboard alone, and the selection is an address that can be sent", async () => {
    await page.goto(coverageGrid);
    await page.locator('td[tabindex="0"]').focus();
    for (const key of ["ArrowRight", "ArrowDown", "Shift+ArrowRight", "Shift+ArrowRight"])
      await page.keyboard.press(key);
    expect(await page.locator('td[aria-selected="true"]').count()).toBe(3);
    await page.keyboard.press("Enter");
    await panel("1 partition × 3 days").waitFor();
    const address = page.url();
    await page.keyboard.press("Escape");
    expect(await page.locator('td[aria-selected="true"]').count()).toBe(0);
    await panel("Select cells to see the reasons").waitFor();
    expect(new URL(page.url()).searchParams.has("first")).toBe(false);
    expect(await page.evaluate("document.activeElement?.tabIndex")).toBe(0);
    await page.goto(address);
    await panel("1 partition × 3 days").waitFor();
    expect(await page.locator('td[aria-selected="true"]').count()).toBe(3);
    expect(await page.locator('td[tabindex="0"]').getAttribute("aria-label")).toBeNull();
    await page.locator('td[tabindex="0"]').focus();
    expect(await page.locator('td[tabindex="0"]').getAttribute("aria-label")).toContain(dayAt(3));
  });

  const selections: readonly (readonly [string, readonly string[], number])[] = [
    ["something", ["ArrowRight", "ArrowDown"], 2],
    ["nothing", ["ArrowRight", "ArrowDown", "Escape"], 1],
  ];

  test.each(long ? selections : selections.slice(0, 1))(
    "who goes by keyboard keeps their place when cells turn with %s selected",
    async (_, keys, selected) => {
      await page.goto(coverageGrid);
      await page.locator('td[tabindex="0"]').focus();
      for (const key of keys) await page.keyboard.press(key);
      await page.evaluate("document.querySelector('tr[data-row]').dataset.old = '1'");
      // rows are drawn anew where they differ from those that were sent last
      await page.route("**/coverage/cells?*", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: `${await response.text()}<!-- another -->` });
      });
      const change = "insert into ops.run (kind, as_of, datasets, started_at) values ('sync', now(), '{}', now())";
      const changing = setInterval(() => void stage.stage.query(change), 300);
      await page
        .locator("tr[data-old]")
        .waitFor({ state: "detached" })
        .finally(() => clearInterval(changing));
      await page.unroute("**/coverage/cells?*");
      expect(await page.evaluate("document.activeElement?.parentElement?.dataset?.row")).toBe("1");
      expect(await page.locator('td[tabindex="0"]').count()).toBe(1);
      await page.keyboard.press("Shift+ArrowRight");
      expect(await page.locator('td[aria-selected="true"]').count()).toBe(selected);
    },
  );

  // each of its steps is taken every day: the grid above, pages by Tab and Enter in test/console/browser.test.ts
  test.runIf(long)("a gap is filled by keyboard alone", async () => {
    await page.goto(coverageGrid);
    await page.locator('td[tabindex="0"]').focus();
    for (const key of ["ArrowDown", ...Array<string>(5).fill("ArrowRight"), "Shift+ArrowRight", "Enter"])
      await page.keyboard.press(key);
    await panel("1 partition × 2 days").waitFor();
    await tabTo(page, "Fill");
    await page.keyboard.press("Enter");
    await page.getByText("Nothing has been spent yet").waitFor();
    await tabTo(page, /^Fill for/);
    await page.keyboard.press("Enter");
    for (const column of [5, 6]) await page.locator(`tr[data-row="1"] td:nth-child(${column + 2}).loaded`).waitFor();
    expect(await cell(1, 4).getAttribute("class")).toBeNull();
  });

  test("shift and a click select up to a second cell", async () => {
    await page.goto(coverageGrid);
    await cell(0, 1).click();
    await cell(1, 3).click({ modifiers: ["Shift"] });
    await panel("2 partitions × 3 days").waitFor();
    expect(await page.locator('td[aria-selected="true"]').count()).toBe(6);
  });

  test("on a phone the name of an app may take two lines, so that apps whose names begin alike differ", async () => {
    const held = await browser.newPage({ viewport: { width: 390, height: 844 }, baseURL: served.url });
    await held.goto("/coverage?dataset=keyword_rank&days=60");
    await held.locator(".who .app", { hasText: "Lumi" }).first().waitFor();
    const cut =
      "[...document.querySelectorAll('.who .app')].filter((one) => one.textContent.startsWith('Lumi') && (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)).length";
    expect(await held.evaluate<number>(cut)).toBe(0);
    const heights = "[...new Set([...document.querySelectorAll('tr[data-row]')].map((one) => one.offsetHeight))]";
    expect(await held.evaluate<readonly number[]>(heights)).toHaveLength(1);
    await held.close();
  });

  test("by touch a swipe scrolls and selects nothing, and a tap selects a cell", async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const context = await browser.newContext({ ...phone, baseURL: served.url });
    const held = await context.newPage();
    await held.goto("/coverage?dataset=keyword_rank&days=60");
    const grid = await placeOf(held.locator(".grid-wrap"));
    const scrolled = "document.querySelector('.grid-wrap').scrollLeft";
    const before = await held.evaluate<number>(scrolled);
    const hand = await context.newCDPSession(held);
    for (const moved of [0, 25, 50, 75, 100]) {
      const touchPoints = [{ x: grid.x + 200 + moved, y: grid.y + 70 }];
      await hand.send("Input.dispatchTouchEvent", { type: moved === 0 ? "touchStart" : "touchMove", touchPoints });
    }
    await hand.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await expect.poll(() => held.evaluate<number>(scrolled)).toBeLessThan(before);
    expect(await held.locator('td[aria-selected="true"]').count()).toBe(0);
    expect(new URL(held.url()).searchParams.has("first")).toBe(false);
    await held.locator('tr[data-row="1"] td').nth(20).tap();
    await held.locator("#selection").getByText("1 partition × 1 day").waitFor();
    expect(await held.locator('td[aria-selected="true"]').count()).toBe(1);
    await context.close();
  });

  test("cells that cannot be read anew stay, with a word about why", async () => {
    await page.goto(coverageGrid);
    const notice = page.locator("#grid-notice");
    for (const [answer, says] of [
      [{ status: 429 }, "Too many requests"],
      [{ status: 503 }, "The database does not respond in time"],
      [{ headers: { "x-figures-from": "noon" }, body: "<p>1 partition</p>" }, "from noon"],
      [{ body: "<p>1 partition</p>" }, ""],
    ] as const) {
      await page.route("**/coverage/selection?*", (route) => route.fulfill(answer));
      await cell(0, 1).click();
      if (says === "") await notice.waitFor({ state: "hidden" });
      else await notice.getByText(says).waitFor();
      expect(await page.locator("tr[data-row]").count()).toBeGreaterThan(0);
      await page.unroute("**/coverage/selection?*");
    }
  });

  test("the stream of changes is closed while nobody sees the page, and opened anew where it was refused", async () => {
    let closed = 0;
    const statuses: number[] = [];
    page.on("response", (response) => {
      if (isLive(response.url())) statuses.push(response.status());
    });
    const isLive = (url: string) => url.includes("/live?");
    page.on("requestfailed", (request) => (closed += isLive(request.url()) ? 1 : 0));
    await page.goto(coverageGrid);
    await until(() => statuses.length > 0);
    const show = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`,
      );
    await show(true);
    await until(() => closed > 0);
    await page.route("**/live?*", (route) => route.fulfill({ status: 429 }));
    await show(false);
    await page.locator("#grid-notice").getByText("Changes are not reported at the moment").waitFor();
    await page.unroute("**/live?*");
    await show(true);
    await show(false);
    await page.locator("#grid-notice").waitFor({ state: "hidden" });
    expect([...statuses.slice(0, 2), statuses.at(-1)]).toEqual([200, 429, 200]);
  });

  test("hundreds of partitions come as they are scrolled to", async () => {
    const opened = await page.goto(new URL("/coverage?dataset=keyword_rank&days=50", (await startMany()).url).href);
    expect((await opened?.text())?.match(/<tr[^>]* data-row=/g)?.length).toBeLessThan(200);
    // a block that could not be read is requested again while it is visible
    const failed = new Set<string>();
    await page.route(/offset=/, async (route) => {
      const address = route.request().url();
      if (failed.has(address)) return route.continue();
      failed.add(address);
      await route.fulfill({ status: 503 });
    });
    await page.locator(".grid-wrap").evaluate((wrap) => {
      wrap.scrollTop = wrap.scrollHeight;
    });
    await page.locator('tr[data-row="499"]').waitFor();
    expect(failed.size).toBeGreaterThan(0);
    await page.locator('tr[data-row="499"] td').first().click();
    await page.locator(".grid-wrap").evaluate((wrap) => {
      wrap.scrollTop = 0;
    });
    await page.locator('tr[data-row="0"]').waitFor();
    await page.locator('tr[data-row="499"]').waitFor({ state: "detached" });
    expect(await page.locator('td[tabindex="0"]').count()).toBe(1);
    expect(await page.locator("#cells tr[data-row]").count()).toBeLessThan(450);
  });

  // near the top by keyboard every day, above
  test.runIf(long)("a selection far down is in view, marked, and says the same at its address", async () => {
    await page.unrouteAll();
    await page.goto(new URL("/coverage?dataset=keyword_rank&days=50&offset=400", (await startMany()).url).href);
    await page.locator('tr[data-row="400"]').waitFor();
    await cell(402, 1).click();
    await cell(404, 4).click({ modifiers: ["Shift"] });
    await panel("3 partitions × 4 days").waitFor();
    await page.reload();
    await panel("3 partitions × 4 days").waitFor();
    const selected = page.locator('td[aria-selected="true"]');
    await expect.poll(() => selected.count()).toBe(12);
    const box = await placeOf(selected.first());
    const grid = await placeOf(page.locator(".grid-wrap"));
    const [height, width] = await page.locator(".grid-wrap").evaluate((wrap) => [wrap.clientHeight, wrap.clientWidth]);
    expect(box.y).toBeGreaterThan(grid.y);
    expect(box.y).toBeLessThan(grid.y + (height ?? 0));
    // right of the names, which stay in place
    const names = await page.locator('tr[data-row="402"] th').boundingBox();
    expect(box.x).toBeGreaterThanOrEqual(grid.x + (names?.width ?? 0));
    expect(box.x).toBeLessThan(grid.x + (width ?? 0));
    expect(await selected.first().locator("..").getAttribute("data-row")).toBe("402");
  });
});
