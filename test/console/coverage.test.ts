import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { groupKey } from "../../src/core/partition-group.ts";
import { addDays } from "../../src/core/day.ts";
import type { Console } from "../../src/console/server.ts";
import {
  clientOf,
  openConsoleStage,
  scriptName,
  untilShown,
  viewerPassword,
  withPasswords,
} from "../support/console-stage.ts";
import { coverageGrid, dayAt, thousandPartitions } from "../support/coverage-page.ts";
import { tried } from "../support/granted-stage.ts";
import { today } from "../support/ingest-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openConsoleStage);
let served: Console;

beforeAll(async () => {
  served = await stage.start();
});

/** The key of the first row of a page. */
const keyOf = (text: string) => /data-key="([^"]+)"/.exec(text)?.[1]?.replaceAll("&quot;", '"') ?? "";

describe("the page of coverage", () => {
  test("is a table for readers without JavaScript: a row a partition, a word for each sign, and links to more rows", async () => {
    const many = clientOf(await stage.start(thousandPartitions));
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

  test("says of a list of the portfolio which command requests it, and not that it is loaded", async () => {
    const client = clientOf(served);
    const key = keyOf((await client.get("/coverage?dataset=tracked_app")).text);
    const tomorrow = addDays(today, 1);
    const query = new URLSearchParams({ first: key, last: key, from: today, until: tomorrow }).toString();
    const { text } = await client.get(`/coverage/selection?dataset=tracked_app&${query}`);
    expect(text).toContain("a backfill can request none of these cells");
    expect(text).toContain("are fetched by <code>storehouse sync</code>, not by a backfill");
  });

  test("says which error a failed cell has, what it would cost, and nothing of it to a viewer but that", async () => {
    const guarded = clientOf(await stage.start(withPasswords));
    await guarded.signIn(viewerPassword);
    const { text: page } = await guarded.get(coverageGrid);
    // without JavaScript a link leads there
    const link = /<noscript><a href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect((await guarded.get(link)).text).toMatch(/<ul class="reasons">[^]*failed/);
    const key = keyOf(page);
    const ends = { first: key, last: key, from: addDays(today, -20), until: today };
    const query = new URLSearchParams(ends).toString();
    const { text } = await guarded.get(`/coverage/selection?dataset=keyword_rank&${query}`);
    expect(text).toContain("Only operators can fill cells.");
    expect(text).not.toContain("<form");
    expect(await guarded.post("/actions/fill", { ...ends, credit_limit: "100" })).toMatchObject({
      status: 403,
    });
  });

  test("refuses a selection that is larger than the planner goes over at once, on the page and in the form", async () => {
    const many = clientOf(await stage.start(thousandPartitions));
    const { text } = await many.get("/coverage?dataset=keyword_rank&days=365");
    const { text: last } = await many.get("/coverage/cells?dataset=keyword_rank&days=365&offset=999");
    const ends = { first: keyOf(text), last: keyOf(last), from: addDays(today, -364), until: today };
    const fields = { dataset: "keyword_rank", ...ends };
    const says = "1,000 partitions × 365 days are 365,000 cells";
    expect((await many.get(`/coverage/selection?${new URLSearchParams(fields).toString()}`)).text).toContain(says);
    // a smaller selection has the form
    await many.get(`/coverage?${new URLSearchParams({ ...fields, last: ends.first }).toString()}`);
    expect(await many.post("/actions/fill", { ...fields, credit_limit: "9" })).toMatchObject({
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
    const key = keyOf((await local.get(coverageGrid)).text);
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
    const shown = keyOf((await local.get(coverageGrid)).text);
    // its form has the token
    const ends = { first: shown, last: shown, from: dayAt(1), until: dayAt(2) };
    await local.get(`${coverageGrid}&${new URLSearchParams(ends).toString()}`);
    const key = groupKey({ dataset: "keyword_rank", store: "ios", trackId: "1", country: "US" });
    const fields = {
      dataset: "keyword_rank",
      first: key,
      last: key,
      from: dayAt(1),
      until: dayAt(2),
      credit_limit: "9",
    };
    expect(await local.post("/actions/fill", fields)).toMatchObject({
      status: 400,
      text: expect.stringContaining("no longer has these cells"),
    });
    for (const to of ["2026-02-30", "0001-01-01", "9998-12-31"])
      expect(await local.get(`/coverage?to=${to}&by=day&days=703`)).toMatchObject({ status: 400 });
  });

  test("fills no more than the credits that are entered pay for, and says what is left out before anything is spent", async () => {
    const local = clientOf(served);
    const key = keyOf((await local.get(coverageGrid)).text);
    const fields = { dataset: "keyword_rank", days: "14", first: key, last: key, from: dayAt(6), until: dayAt(8) };
    const { text } = await local.get(`/coverage?${new URLSearchParams(fields).toString()}`);
    const whole = Number(/at most\s+<strong>(\d+) credit/.exec(text)?.[1]);
    const requested = await local.post("/actions/fill", { ...fields, credit_limit: String(whole - 1) });
    const price = Number(/(\d+)\s+credits?\s+at most/.exec(requested.text.replaceAll(/<[^>]*>/g, " "))?.[1]);
    expect(price).toBeGreaterThan(0);
    expect(price).toBeLessThan(whole);
    expect(requested.text).toMatch(/do not fit and are left out/);
    expect(await stage.stage.query("select from ops.slice where plan_id is not null")).toEqual([]);
    // nor where other cells cost no more than those that were agreed to
    const bound = /name="bound" value="([^"]+)"/.exec(requested.text)?.[1] ?? "";
    const others = { ...fields, until: dayAt(7), credit_limit: String(whole), agreed: String(whole), bound };
    expect(await local.post("/actions/fill", others)).toMatchObject({
      status: 409,
      text: expect.stringContaining("has changed since it was shown"),
    });
    // what was agreed to is less than it costs: nothing runs
    expect(
      await local.post("/actions/fill", { ...fields, credit_limit: String(whole), agreed: String(price) }),
    ).toMatchObject({
      status: 409,
    });
    expect(await stage.stage.query("select from ops.plan")).toEqual([]);
  });

  test("says before anything is spent what history leaves to the nights, and when a fill finishes", async () => {
    const { query } = stage.stage;
    const [account] = await query<{ resets_at: Date; period_hours: number | null }>(
      "select resets_at, period_hours from ops.credit_account",
    );
    await query("update ops.credit_account set resets_at = now() + interval '1 day', period_hours = 24");
    await query(
      `insert into ops.credit_forecast (account_id, made_on, date_day, starts_at, planned_credits, waiting_credits, budget_credits, made_at)
       select account_id, (now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + n, now() + interval '23 hours' + n * interval '1 day', 40, 0, '{}', now()
       from   ops.credit_account, generate_series(0, 1) as n`,
    );
    const local = clientOf(served);
    const key = keyOf((await local.get(coverageGrid)).text);
    const fields = { dataset: "keyword_rank", days: "14", first: key, last: key, from: dayAt(6), until: dayAt(8) };
    await local.get(`/coverage?${new URLSearchParams(fields).toString()}`);
    const asked = () => local.post("/actions/fill", { ...fields, credit_limit: "1000" });
    const some = await asked();
    await query("update ops.credit_forecast set planned_credits = 1000000");
    const all = await asked();
    await query("delete from ops.credit_forecast");
    await query("update ops.credit_account set resets_at = $1, period_hours = $2", [
      account?.resets_at,
      account?.period_hours,
    ]);
    expect(some.text).toMatch(/history leaves them 40 until the reset\).*the work finishes at [\d: -]+ UTC\./);
    expect(all.text).toContain("Its history does not finish: the nights need what the allowance has");
  });

  test("says before anything is spent what a budget defers of a fill, as a backfill does", async () => {
    const budgets = { ranks: { datasets: ["keyword_rank"], credits_a_month: 3 } };
    const local = clientOf(await stage.start({ settings: { credits: { budgets } } }));
    const key = keyOf((await local.get(coverageGrid)).text);
    const fields = { dataset: "keyword_rank", days: "14", first: key, last: key, from: dayAt(6), until: dayAt(8) };
    await local.get(`/coverage?${new URLSearchParams(fields).toString()}`);
    const asked = await local.post("/actions/fill", { ...fields, credit_limit: "1000" });
    expect(asked.text).toMatch(
      /The budget ranks \(3 credits a month\) has \d credits? left and defers about \d+ slices? \(\d+ credits?\) until/,
    );
  });

  test("of two people who agree to a fill at once one starts it, and no plan is kept for the other", async () => {
    // the first run goes on for longer than the second person's form takes
    stage.stage.sandbox.set({ latencyMs: 300 });
    const people = [clientOf(served), clientOf(served)];
    const key = keyOf((await clientOf(served).get(coverageGrid)).text);
    const fields = { dataset: "keyword_rank", days: "14", first: key, last: key, from: dayAt(6), until: dayAt(8) };
    for (const person of people) await person.get(`/coverage?${new URLSearchParams(fields).toString()}`);
    const agreed = { ...fields, credit_limit: "1000", agreed: "1000" };
    const answers = await Promise.all(people.map((person) => person.post("/actions/fill", agreed)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    // back to the cells that were chosen, which say that it runs
    const started = answers.find(({ status }) => status === 303)?.headers.get("location") ?? "";
    expect(new URL(started, served.url).searchParams.get("first")).toBe(key);
    expect((await clientOf(served).get(started)).text).toMatch(/Backfill of 1 partition[^<]* is under way/);
    await untilShown(async () => (await clientOf(served).get("/runs")).text, /id="running"[^]*badge good/);
    stage.stage.sandbox.set({ latencyMs: 0 });
    expect(await stage.stage.query("select from ops.plan")).toHaveLength(1);
  });

  test("says beside the cells what was wrong with a fill of them", async () => {
    stage.stage.sandbox.set({ faults: [{ times: 100, kind: "empty-401" }] });
    const local = clientOf(await stage.start());
    const key = keyOf((await local.get(coverageGrid)).text);
    const fields = { dataset: "keyword_rank", days: "14", first: key, last: key, from: dayAt(1), until: dayAt(2) };
    await local.get(`/coverage?${new URLSearchParams(fields).toString()}`);
    const answer = await local.post("/actions/fill", { ...fields, credit_limit: "1000", agreed: "1000" });
    const panel = () => local.get(answer.headers.get("location")?.replace("/coverage?", "/coverage/selection?") ?? "");
    await untilShown(async () => (await panel()).text, /class="notice bad"/);
    stage.stage.sandbox.set({ faults: [] });
    expect((await panel()).text).toMatch(/class="notice bad">Backfill of 1 partition[^<]*: \S/);
  });

  test("is read as storehouse_reader, with what it says of a selection: the loader need not be able to read the ledger", async () => {
    const guarded = clientOf(await stage.start(withPasswords));
    await guarded.signIn(viewerPassword);
    const closed = "ops.slice, ops.batch, ops.dropped_month, ops.credit_cost";
    await tried(stage.granted.adminUrl, `revoke select on ${closed} from storehouse_loader`);
    try {
      const { status, text } = await guarded.get(coverageGrid);
      const key = keyOf(text);
      const ends = new URLSearchParams({ first: key, last: key, from: dayAt(2), until: dayAt(4) });
      const panel = await guarded.get(`/coverage/selection?dataset=keyword_rank&${ends.toString()}`);
      expect([status, panel.status, panel.text]).toEqual([
        200,
        200,
        expect.stringContaining("Only operators can fill cells."),
      ]);
    } finally {
      await tried(stage.granted.adminUrl, `grant select on ${closed} to storehouse_loader`);
    }
  });

  test("shows a script in the name of an app as text", async () => {
    await tried(stage.granted.adminUrl, `update core.dim_app set app_name = $$${scriptName}$$`);
    const { text } = await clientOf(await stage.start()).get(coverageGrid);
    expect(text).not.toContain("<script>document");
    expect(text).toContain("&lt;script&gt;document");
    expect(text).not.toMatch(/<[a-z][^<>]*\s(style|on\w+)=/);
  });
});

test("cells of a database that does not answer say since when they are, as a header holds it", async () => {
  const hasty = clientOf(await stage.start({ settings: { console: { timeout_seconds: 0.3 } } }));
  const address = "/coverage/cells?dataset=keyword_rank&days=14";
  expect((await hasty.get(address)).headers.get("x-figures-from")).toBeNull();
  const holding = new pg.Client({ connectionString: stage.granted.adminUrl });
  await holding.connect();
  await holding.query("begin; lock table ops.slice in access exclusive mode");
  try {
    const read = async () => (await hasty.get(address)).headers.get("x-figures-from") ?? "";
    expect(await untilShown(read, /./)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC, \d+ s ago$/);
  } finally {
    await holding.end();
  }
});
