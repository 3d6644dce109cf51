import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { request } from "undici";
import { describe, expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { tried } from "../support/granted-stage.ts";
import { startChild } from "../support/ingest-child.ts";
import { today, until } from "../support/ingest-stage.ts";
import { call, limits, variables, mcpForTests } from "../support/mcp-stage.ts";

const { served, connected, ask, refused, query } = mcpForTests();

describe("over stdin and stdout, a client of the SDK", () => {
  test("finds the tools, none of which writes", async () => {
    const { tools } = await connected.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "list_marts",
      "describe_mart",
      "query",
      "coverage",
      "price_backfill",
    ]);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(connected.client.getInstructions()).toContain("unknown, not zero");
  });

  test("lists marts and describes one, in the words of the catalogue", async () => {
    const { relations } = await ask("list_marts");
    const [comment] = await served.stage.query<{ about: string }>(
      "select obj_description('mart.keyword_rank_daily'::regclass, 'pg_class') as about",
    );
    expect(relations).toContainEqual({ name: "mart.keyword_rank_daily", about: comment?.about });
    const mart = await ask("describe_mart", { name: "keyword_rank_daily" });
    expect(mart).toMatchObject({ name: "mart.keyword_rank_daily", about: comment?.about });
    expect(mart.columns.map(({ name }) => name)).toContain("ranking_state");
    expect(mart.columns.filter(({ about }) => about === "")).toEqual([]);
    expect(mart.datasets.map(({ name }) => name)).toContain("keyword_rank");
    // off by default, and named by a line of the schedule
    const charts = async () => (await ask("describe_mart", { name: "core.fact_top_chart" })).datasets;
    expect(await charts()).toMatchObject([{ name: "top_chart", is_on: false }]);
    await served.stage.query(`
      insert into ops.next_run (line_id, datasets, runs_at, slices, requests, credits, priced_at)
      values ('charts', '{top_chart,review}', now(), 1, 1, 1, now())`);
    expect(await charts()).toMatchObject([{ name: "top_chart", is_on: true }]);
    // what the configuration switches off no line switches on
    expect((await ask("describe_mart", { name: "core.review" })).datasets).toMatchObject([{ is_on: false }]);
    expect(await refused("describe_mart", { name: "keyword_rank_dayly" })).toMatch(/^unknown_table: .*did you mean/);
  });

  test("gets no more than the limits", async () => {
    const many = await query("select generate_series(1, 100) as n");
    expect(many.rows.map(([n]) => n)).toEqual([1, 2, 3, 4, 5]);
    expect(many.is_cut).toBe(true);
    expect((await query("select generate_series(1, 5) as n")).is_cut).toBe(false);
    expect((await query("select 1 as n", { rows: 1 })).is_cut).toBe(false);
    expect((await query("select generate_series(1, 5) as n", { rows: 2 })).rows).toEqual([[1], [2]]);
    expect(await refused("query", { sql: "select repeat('x', 2000000)" })).toMatch(
      /^statement_refused: .*larger than 128 KiB/,
    );
    expect(await refused("query", { sql: "select pg_sleep(60)" })).toMatch(
      new RegExp(`^statement_refused: .*longer than ${limits.seconds} seconds`),
    );
    expect((await query("select 1 as n")).rows).toEqual([[1]]);
  });

  test.each([
    ["writes", "insert into core.dim_app (store, track_id) values ('ios', '1')"],
    ["writes inside", "with gone as (delete from core.dim_app returning 1) select * from gone"],
    ["makes a table", "create temp table mine as select 1"],
    ["sends two statements", "select 1; select 2"],
    ["ends the transaction", "select 1; commit; delete from core.dim_app"],
    ["reads stored answers", "select * from raw.answer"],
    ["reads the ledger's tables", "select * from ops.slice"],
    ["reads files", "select pg_read_file('/etc/passwd')"],
    ["becomes another role", "select set_config('role', 'storehouse_loader', false)"],
    ["becomes another user", "select set_config('session_authorization', 'storehouse_loader', false)"],
    ["lets the transaction write", "select set_config('transaction_read_only', 'off', false)"],
    ["hides a statement in a text", "select query_to_xml('select * from raw.answer', true, true, '')"],
    ["moves a sequence", "select nextval(pg_get_serial_sequence('core.dim_app', 'app_key'))"],
    ["copies", "copy core.dim_app to stdout"],
    ["is no SQL", "show me the ranks"],
  ])("is refused what %s", async (_, statement) => {
    const before = await served.stage.query("select count(*) from core.dim_app");
    expect(await refused("query", { sql: statement })).toMatch(/^statement_refused: /);
    expect(await served.stage.query("select count(*) from core.dim_app")).toEqual(before);
  });

  test.each(["delete from core.dim_app;", "show server_version", "Ranks of my app", " create table mine (n int)"])(
    "says what is read where a statement begins as none that is (%s)",
    async (sql) => {
      expect(await refused("query", { sql })).toMatch(
        /^statement_refused: .*only one `select`, `with`, `values` or `table` statement is allowed/,
      );
    },
  );

  test("leaves no lock and no setting behind", async () => {
    await query("select pg_advisory_lock(4711), set_config('work_mem', '64kB', false)");
    const held = "select from pg_locks where locktype = 'advisory' and objid = 4711";
    // the server ends the session after the answer is here
    await until(async () => (await tried(served.granted.adminUrl, held)).length === 0);
    expect((await query("select current_setting('work_mem') = '64kB' as is_kept")).rows).toEqual([[false]]);
  });

  test("prices a backfill as the command does, and spends nothing", async () => {
    const [before] = await served.stage.query(
      "select (select count(*) from ops.request), (select count(*) from ops.plan)",
    );
    const sent = served.stage.requested().length;
    const price = await ask("price_backfill", { datasets: ["keyword_rank"], from: "2026-07-01", to: "2026-07-05" });
    expect(
      await served.stage.query("select (select count(*) from ops.request), (select count(*) from ops.plan)"),
    ).toEqual([before]);
    expect(served.stage.requested()).toHaveLength(sent);
    expect(price.command).toBe("storehouse backfill --dataset keyword_rank --from 2026-07-01 --to 2026-07-05");
    const typed = [...price.command.split(" ").slice(1), "--as-of", today, "--dry-run", "--json"];
    const { code, stdout } = await runCommand(served.stage, typed);
    expect(code).toBe(0);
    const { plan } = JSON.parse(stdout);
    const { slices, requests, credits } = plan;
    expect(price).toMatchObject({ slices, requests, credits });
    expect(credits).toBeGreaterThan(0);
    expect(await refused("price_backfill", { datasets: ["keyword_rang"] })).toMatch(/^unknown_dataset/);
  });

  test("says with the price what budgets defer", async () => {
    const { says } = await ask("price_backfill", { datasets: ["keyword_rank"], from: "2026-07-01", to: "2026-07-05" });
    expect(says).toMatch(/ The budget ranks \(3 credits a month\) has \d credits? left and defers about \d+ slices/);
  });

  test("says with the price what history leaves to the nights, and when it finishes", async () => {
    await served.stage.query("update ops.credit_account set resets_at = now() + interval '1 day', period_hours = 24");
    await served.stage.query(
      `insert into ops.credit_forecast (account_id, made_on, date_day, starts_at, planned_credits, waiting_credits, budget_credits, made_at)
       select account_id, (now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + n, now() + interval '23 hours' + n * interval '1 day', 40, 0, '{}', now()
       from   ops.credit_account, generate_series(0, 1) as n`,
    );
    const older = { datasets: ["keyword_rank"], from: "2026-07-01", to: "2026-07-05" };
    expect((await ask("price_backfill", older)).says).toMatch(/history leaves them [\d,]+ until the reset\)/);
    expect((await ask("price_backfill", { ...older, max_credits: 0 })).says).toBe("Nothing fits within max_credits.");
    await served.stage.query("update ops.credit_forecast set planned_credits = 1000000");
    expect((await ask("price_backfill", older)).says).toContain("Its history does not finish: the nights need");
    await served.stage.query("delete from ops.credit_forecast");
    const { says } = await ask("price_backfill", older);
    expect(says).not.toContain("history leaves");
    expect(says).toMatch(/ If no other process spends credits, .* the work finishes at \d{4}-\d\d-\d\dT[\d:.]+Z\./);
  });

  test("says instead of a price what waits of these days, and which command continues it", async () => {
    const loaded = { datasets: ["keyword_rank"], from: "2026-08-16", to: "2026-08-19" };
    const nothing = "Nothing to do: everything requested that is available is loaded or under way.";
    expect(await ask("price_backfill", loaded)).toMatchObject({ command: null, says: nothing });
    const [{ slice } = { slice: "" }] = await served.stage.query<{ slice: string }>(
      `update ops.slice set state = 'deferred', error_code = 'budget_exhausted', due_at = '2099-01-01 00:00Z'
       where slice_id = (select max(slice_id) from ops.slice where dataset = 'keyword_rank' and state = 'loaded')
       returning slice_id as slice`,
    );
    expect(await ask("price_backfill", loaded)).toMatchObject({
      command: null,
      says: "Nothing new to request. 1 slice of an earlier run waits, the first until 2099-01-01T00:00:00.000Z: `storehouse sync --dataset keyword_rank` continues, and so does `storehouse worker`.",
    });
    // nothing continues a plan whose price is spent
    await served.stage.query(
      `with plan as (
         insert into ops.plan (account, made_at, as_of, request, basis, newest_first, digest, slices, requests, credits, left_out_slices, left_out_credits)
         values ('', now(), '${today}', '{}', '{}', true, '', 1, 1, 1, 0, 0) returning plan_id)
       update ops.slice set error_code = 'plan_spent', plan_id = (select plan_id from plan) where slice_id = $1`,
      [slice],
    );
    expect(await ask("price_backfill", loaded)).toMatchObject({
      says: nothing,
      notes: [expect.stringMatching(/^Slices of plan \d+ wait at a spent price/)],
    });
    await served.stage.query(
      "update ops.slice set state = 'loaded', error_code = null, due_at = null, plan_id = null where slice_id = $1",
      [slice],
    );
  });

  test("ends it by leaving", async () => {
    const one = await served.connect();
    const pid = one.pid();
    expect(pid).not.toBeNull();
    await one[Symbol.asyncDispose]();
    await until(() => !isAlive(pid ?? 0));
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("over HTTP on loopback a client gets the same; other hosts and pages in a browser are refused", async () => {
  // longer than the test: only the client's leaving can end the statement below
  const settings = { mcp: { seconds: 600 } };
  await using child = startChild(served.stage, ["mcp", "--http", "0", "--as-of", today], { variables, settings });
  await Promise.race([until(() => /http:\S+/.test(child.output().stderr)), child.ended]);
  const url = /http:[^\s;]+/.exec(child.output().stderr)?.[0] ?? "";
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  expect(await call(client, "list_marts")).toEqual(await ask("list_marts"));
  const both = await Promise.all([1, 2].map((n) => call(client, "query", { sql: `select ${n} as n` })));
  expect(both.map(({ rows }) => rows)).toEqual([[[1]], [[2]]]);
  await client.close();
  const sleeping = () =>
    served.stage.query("select from pg_stat_activity where state = 'active' and query like 'fetch forward%'");
  const leaving = new AbortController();
  const left = request(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "query", arguments: { sql: "select pg_sleep(600)" } },
    }),
    signal: leaving.signal,
  });
  await Promise.race([until(async () => (await sleeping()).length === 1), left]);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await until(async () => (await sleeping()).length === 0);
  const post = (headers: Record<string, string>) =>
    request(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: "{}" });
  expect((await post({ host: "storehouse.example" })).statusCode).toBe(403);
  expect((await post({ origin: "https://page.example" })).statusCode).toBe(403);
  expect((await post({ origin: "http://localhost:3000" })).statusCode).not.toBe(403);
  expect((await request(url)).statusCode).toBe(405);
  child.process.kill("SIGTERM");
  expect(await child.ended).toBe(0);
});

test("without the reader's password it does not start", async () => {
  const { code, stderr } = await runCommand(served.stage, ["mcp"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^bad_setting: STOREHOUSE_READER_PASSWORD is not set/);
});

test("a password that the role does not have is named, and not the address of the database", async () => {
  const { code, stderr } = await runCommand(served.stage, ["mcp"], {
    variables: { STOREHOUSE_READER_PASSWORD: "of-another-warehouse" },
  });
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^bad_setting: STOREHOUSE_READER_PASSWORD does not let storehouse_reader log in: run `storehouse grants` with it/,
  );
});
