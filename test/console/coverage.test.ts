import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { groupKey } from "../../src/core/partition-group.ts";
import { addDays } from "../../src/core/day.ts";
import type { Console } from "../../src/console/server.ts";
import { chromiumPath, leftOut, openBrowser, tabTo } from "../support/browser.ts";
import {
  clientOf,
  openConsoleStage,
  scriptName,
  untilShown,
  viewerPassword,
  withPasswords,
  type ConsoleStage,
} from "../support/console-stage.ts";
import { tried } from "../support/granted-stage.ts";
import { today, until } from "../support/ingest-stage.ts";

let stage: ConsoleStage;
let served: Console;

beforeAll(async () => {
  stage = await openConsoleStage();
  served = await stage.start();
});
afterAll(() => stage[Symbol.asyncDispose]());

const grid = "/coverage?dataset=keyword_rank&days=14";
/** The key of the first row of a page. */
const keyOf = (text: string) => /data-key="([^"]+)"/.exec(text)?.[1]?.replaceAll("&quot;", '"') ?? "";
const dayAt = (column: number) => addDays(today, column - 13);

/** A thousand partitions of keyword ranks, which only the configuration names. */
const thousand = {
  settings: {
    portfolio: {
      source: "config" as const,
      apps: Array.from({ length: 50 }, (_, index) => ({
        id: String(1_000_000_000 + index),
        countries: "US JP DE FR GB IT ES BR TR KR CA AU MX NL SE PL AT CH BE DK".split(" "),
        keywords: ["notes", "habit", "to do"],
      })),
    },
  },
};

describe("the page of coverage", () => {
  test("is a table for readers without JavaScript: a row a partition, a word for each sign, and links to more rows", async () => {
    const many = clientOf(await stage.start(thousand));
    const { text } = await many.get("/coverage?dataset=keyword_rank&days=365");
    const cells = text.match(/<td/g)?.length ?? 0;
    expect(cells).toBeLessThanOrEqual(4_000);
    expect(cells).toBeGreaterThan(500);
    expect(text).toContain("of 1,000");
    const next = /href="([^"]*offset=\d+[^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect((await many.get(next)).text).toMatch(/rows \d+ to \d+ of 1,000/);
    const last = await many.get("/coverage/cells?dataset=keyword_rank&days=365&offset=990");
    expect(last.text.match(/<tr/g)).toHaveLength(10);
    const beyond = await many.get("/coverage?dataset=keyword_rank&days=365&offset=5000");
    expect(beyond.text).toContain("rows 1,000 to 1,000 of 1,000");
  });

  test("says which error a failed cell has, what it would cost, and nothing of it to a viewer but that", async () => {
    const guarded = clientOf(await stage.start(withPasswords));
    await guarded.signIn(viewerPassword);
    const { text: page } = await guarded.get(grid);
    // without JavaScript a link leads there
    const link = /<noscript><a href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect((await guarded.get(link)).text).toMatch(/<ul class="reasons">[^]*failed/);
    const key = keyOf(page);
    const ends = { first: key, last: key, from: addDays(today, -20), until: today };
    const query = new URLSearchParams(ends).toString();
    const { text } = await guarded.get(`/coverage/selection?dataset=keyword_rank&${query}`);
    expect(text).toContain("An operator can fill it.");
    expect(text).not.toContain("<form");
    expect(await guarded.post("/actions/fill", { ...ends, most: "100" })).toMatchObject({
      status: 403,
    });
  });

  test("refuses a selection that is larger than the planner goes over at once, on the page and in the form", async () => {
    const many = clientOf(await stage.start(thousand));
    const { text } = await many.get("/coverage?dataset=keyword_rank&days=365");
    const { text: last } = await many.get("/coverage/cells?dataset=keyword_rank&days=365&offset=999");
    const ends = { first: keyOf(text), last: keyOf(last), from: addDays(today, -364), until: today };
    const fields = { dataset: "keyword_rank", ...ends };
    const says = "1,000 partitions × 365 days are 365,000 cells";
    expect((await many.get(`/coverage/selection?${new URLSearchParams(fields).toString()}`)).text).toContain(says);
    // a smaller selection has the form
    await many.get(`/coverage?${new URLSearchParams({ ...fields, last: ends.first }).toString()}`);
    expect(await many.post("/actions/fill", { ...fields, most: "9" })).toMatchObject({
      status: 400,
      text: expect.stringContaining(says),
    });
  });

  test("names the source of cells that came with another answer", async () => {
    await stage.stage.query(
      "update ops.slice set fingerprint = 'reported by tracked_keyword' where dataset = 'keyword_rank' and state = 'loaded' and window_start = $1",
      [addDays(today, -3)],
    );
    const local = clientOf(served);
    const key = keyOf((await local.get(grid)).text);
    const ends = { first: key, last: key, from: addDays(today, -20), until: today };
    const { text } = await local.get(
      `/coverage/selection?dataset=keyword_rank&${new URLSearchParams(ends).toString()}`,
    );
    expect(text.replaceAll(/\s+/g, " ")).toMatch(
      /[1-9] cells of keyword_rank were reported by tracked_keyword: nothing was requested for them/,
    );
    await stage.stage.query("update ops.slice set fingerprint = '' where fingerprint = 'reported by tracked_keyword'");
  });

  test("refuses a selection that the portfolio has no more, and a day that is none", async () => {
    const local = clientOf(served);
    const shown = keyOf((await local.get(grid)).text);
    // its form has the token
    const ends = { first: shown, last: shown, from: dayAt(1), until: dayAt(2) };
    await local.get(`${grid}&${new URLSearchParams(ends).toString()}`);
    const key = groupKey({ dataset: "keyword_rank", store: "ios", trackId: "1", country: "US" });
    const fields = { dataset: "keyword_rank", first: key, last: key, from: dayAt(1), until: dayAt(2), most: "9" };
    expect(await local.post("/actions/fill", fields)).toMatchObject({
      status: 400,
      text: expect.stringContaining("no such cells"),
    });
    for (const to of ["2026-02-30", "0001-01-01", "9998-12-31"])
      expect(await local.get(`/coverage?to=${to}&by=day&days=703`)).toMatchObject({ status: 400 });
  });

  test("fills no more than the credits that are entered pay for, and says what is left out before anything is spent", async () => {
    const local = clientOf(served);
    const key = keyOf((await local.get(grid)).text);
    const fields = { dataset: "keyword_rank", days: "14", first: key, last: key, from: dayAt(6), until: dayAt(8) };
    const { text } = await local.get(`/coverage?${new URLSearchParams(fields).toString()}`);
    const whole = Number(/at most\s+<strong>(\d+) credit/.exec(text)?.[1]);
    const asked = await local.post("/actions/fill", { ...fields, most: String(whole - 1) });
    const price = Number(/(\d+)\s+credits?\s+at most/.exec(asked.text.replaceAll(/<[^>]*>/g, " "))?.[1]);
    expect(price).toBeGreaterThan(0);
    expect(price).toBeLessThan(whole);
    expect(asked.text).toMatch(/do not fit and are left out/);
    expect(await stage.stage.query("select from ops.slice where plan_id is not null")).toEqual([]);
    // nor where other cells cost no more than those that were agreed to
    const bound = /name="bound" value="([^"]+)"/.exec(asked.text)?.[1] ?? "";
    const others = { ...fields, until: dayAt(7), most: String(whole), agreed: String(whole), bound };
    expect(await local.post("/actions/fill", others)).toMatchObject({
      status: 409,
      text: expect.stringContaining("has changed since it was shown"),
    });
    // what was agreed to is less than it costs: nothing runs
    expect(await local.post("/actions/fill", { ...fields, most: String(whole), agreed: String(price) })).toMatchObject({
      status: 409,
    });
    expect(await stage.stage.query("select from ops.plan")).toEqual([]);
  });

  test("of two people who agree to a fill at once one starts it, and no plan is kept for the other", async () => {
    // the first run goes on for longer than the second person's form takes
    stage.stage.sandbox.set({ latencyMs: 300 });
    const people = [clientOf(served), clientOf(served)];
    const key = keyOf((await clientOf(served).get(grid)).text);
    const fields = { dataset: "keyword_rank", days: "14", first: key, last: key, from: dayAt(6), until: dayAt(8) };
    for (const person of people) await person.get(`/coverage?${new URLSearchParams(fields).toString()}`);
    const agreed = { ...fields, most: "1000", agreed: "1000" };
    const answers = await Promise.all(people.map((person) => person.post("/actions/fill", agreed)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    await untilShown(async () => (await clientOf(served).get("/runs")).text, /id="running"[^]*badge good/);
    stage.stage.sandbox.set({ latencyMs: 0 });
    expect(await stage.stage.query("select from ops.plan")).toHaveLength(1);
  });

  test("is read as storehouse_reader, with what it says of a selection: the loader need not be able to read the ledger", async () => {
    const guarded = clientOf(await stage.start(withPasswords));
    await guarded.signIn(viewerPassword);
    const closed = "ops.slice, ops.batch, ops.dropped_month, ops.credit_cost";
    await tried(stage.granted.adminUrl, `revoke select on ${closed} from storehouse_loader`);
    try {
      const { status, text } = await guarded.get(grid);
      const key = keyOf(text);
      const ends = new URLSearchParams({ first: key, last: key, from: dayAt(2), until: dayAt(4) });
      const panel = await guarded.get(`/coverage/selection?dataset=keyword_rank&${ends.toString()}`);
      expect([status, panel.status, panel.text]).toEqual([
        200,
        200,
        expect.stringContaining("An operator can fill it."),
      ]);
    } finally {
      await tried(stage.granted.adminUrl, `grant select on ${closed} to storehouse_loader`);
    }
  });

  test("shows a script in the name of an app as text", async () => {
    await tried(stage.granted.adminUrl, `update core.dim_app set app_name = $$${scriptName}$$`);
    const { text } = await clientOf(await stage.start()).get(grid);
    expect(text).not.toContain("<script>document");
    expect(text).toContain("&lt;script&gt;document");
    expect(text).not.toMatch(/<[a-z][^<>]*\s(style|on\w+)=/);
  });
});

describe.skipIf(chromiumPath === null)(`the grid in a browser${leftOut}`, () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 }, baseURL: served.url });
  });
  afterAll(() => browser.close());

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
    await page.goto(grid);
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
    await page.goto(grid);
    const failed = page.locator("td.failed").first();
    await failed.click();
    await panel(/server_error|http|500/).waitFor();
    await page.getByRole("button", { name: "Retry" }).click();
    await page.waitForURL(/\/coverage/);
    await failed.waitFor({ state: "detached" });
    expect(await stage.failedSlice()).toBe("");
  });

  test("cells are selected by keyboard alone, and the selection is an address that can be sent", async () => {
    await page.goto(grid);
    await page.locator('td[tabindex="0"]').focus();
    for (const key of ["ArrowRight", "ArrowDown", "Shift+ArrowRight", "Shift+ArrowRight"])
      await page.keyboard.press(key);
    expect(await page.locator('td[aria-selected="true"]').count()).toBe(3);
    await page.keyboard.press("Enter");
    await panel("1 partition × 3 days").waitFor();
    const address = page.url();
    await page.keyboard.press("Escape");
    expect(await page.locator('td[aria-selected="true"]').count()).toBe(0);
    await panel("Select cells to see why").waitFor();
    expect(new URL(page.url()).searchParams.has("first")).toBe(false);
    expect(await page.evaluate("document.activeElement?.tabIndex")).toBe(0);
    await page.goto(address);
    await panel("1 partition × 3 days").waitFor();
    expect(await page.locator('td[aria-selected="true"]').count()).toBe(3);
    expect(await page.locator('td[tabindex="0"]').getAttribute("aria-label")).toBeNull();
    await page.locator('td[tabindex="0"]').focus();
    expect(await page.locator('td[tabindex="0"]').getAttribute("aria-label")).toContain(dayAt(3));
  });

  test("who goes by keyboard keeps their place when cells turn", async () => {
    await page.goto(grid);
    await page.locator('td[tabindex="0"]').focus();
    for (const key of ["ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
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
    await page.keyboard.press("Shift+ArrowRight");
    expect(await page.locator('td[aria-selected="true"]').count()).toBe(2);
  });

  test("a gap is filled by keyboard alone, from the grid through the agreement to the result", async () => {
    await page.goto(grid);
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
    await page.goto(grid);
    await cell(0, 1).click();
    await cell(1, 3).click({ modifiers: ["Shift"] });
    await panel("2 partitions × 3 days").waitFor();
    expect(await page.locator('td[aria-selected="true"]').count()).toBe(6);
  });

  test("cells that cannot be read anew stay, with a word about why", async () => {
    await page.goto(grid);
    const notice = page.locator("#grid-notice");
    for (const [answer, says] of [
      [{ status: 429 }, "Too many requests"],
      [{ status: 503 }, "The database is slow"],
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
    await page.goto(grid);
    await until(() => statuses.length > 0);
    const show = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`,
      );
    await show(true);
    await until(() => closed > 0);
    await page.route("**/live?*", (route) => route.fulfill({ status: 429 }));
    await show(false);
    await page.locator("#grid-notice").getByText("Changes are not reported now").waitFor();
    await page.unroute("**/live?*");
    await show(true);
    await show(false);
    await page.locator("#grid-notice").waitFor({ state: "hidden" });
    expect([...statuses.slice(0, 2), statuses.at(-1)]).toEqual([200, 429, 200]);
  });

  test("a thousand partitions come as they are scrolled to", async () => {
    const many = await stage.start(thousand);
    const opened = await page.goto(new URL("/coverage?dataset=keyword_rank&days=365", many.url).href);
    const sent = () => page.locator("#cells tr[data-row]").count();
    expect((await opened?.text())?.match(/<tr[^>]* data-row=/g)?.length).toBeLessThan(200);
    await page.locator(".grid-wrap").evaluate((wrap) => {
      wrap.scrollTop = wrap.scrollHeight;
    });
    await page.locator('tr[data-row="999"]').waitFor();
    // also where what was selected is far away
    await page.locator('tr[data-row="999"] td').first().click();
    await page.locator(".grid-wrap").evaluate((wrap) => {
      wrap.scrollTop = 0;
    });
    await page.locator('tr[data-row="0"]').waitFor();
    await page.locator('tr[data-row="999"]').waitFor({ state: "detached" });
    expect(await page.locator('td[tabindex="0"]').count()).toBe(1);
    expect(await sent()).toBeLessThan(600);
  });
});
