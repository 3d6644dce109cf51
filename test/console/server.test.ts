import { zstdCompressSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { priceOfSetup } from "../../src/cli/setup.ts";
import { Settings } from "../../src/config/settings.ts";
import type { Clock } from "../../src/core/clock.ts";
import { columnOf } from "../support/html-tables.ts";
import { tried } from "../support/granted-stage.ts";
import { today } from "../support/ingest-stage.ts";
import { leftWordsIn } from "../support/left-words.ts";
import { long } from "../support/long.ts";
import { pages } from "../../src/console/pages/all.ts";
import type { Console } from "../../src/console/server.ts";
import {
  clientOf,
  openConsoleStage,
  operatorPassword,
  viewerPassword,
  withPasswords,
  type Client,
} from "../support/console-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openConsoleStage);
let served: Console;
let operator: Client;
let viewer: Client;

beforeAll(async () => {
  served = await stage.start(withPasswords);
  [operator, viewer] = [clientOf(served), clientOf(served)];
  await operator.signIn(operatorPassword, "Ann");
  await viewer.signIn(viewerPassword, "Vic");
});

test("bad input and unknown addresses get a page that names them and the next step", async () => {
  for (const [address, status, says] of [
    ["/runs?limit=many", 400, "limit"],
    ["/runs/no-number", 400, "is not a number"],
    ["/runs/999999", 404, "run 999999"],
    ["/nowhere", 404, "page at this address"],
    ["/%ff", 404, "page at this address"],
    ["/coverage?dataset=nothing", 400, "<code>storehouse datasets</code> lists them"],
  ] as const) {
    const answer = await operator.get(address);
    expect([address, answer.status]).toEqual([address, status]);
    expect(answer.text).toContain(says);
    expect(answer.text).toContain("<strong>Next:</strong>");
  }
  expect((await viewer.get("/slices/1/answer")).status).toBe(403);
});

test("a character that no text has and a keyword that nobody can follow are bad input, and sign-in leads to any address of its own", async () => {
  for (const [address, named] of [
    ["/explore?keyword=a%00b", "keyword contains a character"],
    ["/explore?with=a&with=%00", "with contains a character"],
    ["/runs/1?dataset=%00", "dataset contains a character"],
    ["/credits/calculator?named=a%00b&sent=1", "named contains a character"],
    ["/credits/calculator?named=..&sent=1", "portfolio.apps.0.keywords.0"],
  ] as const) {
    const { status, text } = await operator.get(address);
    expect([address, status, text]).toEqual([address, 400, expect.stringContaining(named)]);
  }
  for (const [to, location] of [
    ["/explore?keyword=習慣", "/explore?keyword=%E7%BF%92%E6%85%A3"],
    ["/runs%0d%0aset-cookie:a", "/runsset-cookie:a"],
  ] as const)
    expect((await operator.get(`/sign-in?to=${to}`)).headers.get("location")).toBe(location);
});

test("a run of which slices are folded into newer ones says how many, and that nothing fits only where that is so", async () => {
  const [run] = await stage.stage.query<{ id: string }>(
    `insert into ops.run (kind, as_of, datasets, started_at, ended_at, outcome, past_loaded_count, past_empty_count)
     values ('sync', now(), '{}', now(), now(), 'loaded', 1200, 34) returning run_id::text as id`,
  );
  const folded = await operator.get(`/runs/${run?.id}`);
  expect(folded.text).toMatch(
    /1,200 loaded, 34 empty[^]*1,234 slices of months that are over are part of newer slices/,
  );
  expect(folded.text).not.toContain("No slices match");
  expect((await operator.get(`/runs/${run?.id}?state=failed`)).text).toContain("No slices match");
  expect((await operator.get("/runs/1")).text).not.toContain("are part of newer slices");
});

test("a run that an error aborted shows the error", async () => {
  const [run] = await stage.stage.query<{ id: string }>(
    `insert into ops.run (kind, as_of, datasets, started_at, ended_at, outcome, error_code, error_message)
     values ('sync', now(), '{}', now(), now(), 'aborted', 'forbidden', 'no <access>') returning run_id::text as id`,
  );
  expect((await operator.get(`/runs/${run?.id}`)).text).toMatch(
    /class="notice bad" id="error"[^]*Aborted by[^]*no &lt;access&gt;/,
  );
  expect((await operator.get("/runs/1")).text).not.toContain("Aborted by");
});

test("no page loads anything from elsewhere or inline, and none holds the token", async () => {
  const { token } = stage.stage.sandbox;
  for (const { examples } of pages)
    for (const address of examples) {
      const { status, headers, text } = await operator.get(address);
      expect([address, status]).toEqual([address, 200]);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
      );
      expect(text).not.toMatch(/<style|<script>|\sstyle=|\son\w+=|(src|href)="(https?:)?\/\//);
      expect(text).not.toContain(token);
      expect(text).not.toContain(operatorPassword);
      // what a person reads, without names of datasets and columns
      const words = text.replaceAll(/<(code|pre|option|script)\b[^]*?<\/\1>/g, " ").replaceAll(/<[^>]*>/g, " ");
      expect([address, leftWordsIn(words)]).toEqual([address, []]);
    }
});

test("nor do sign-in and pages about what is wrong", async () => {
  for (const address of ["/sign-in", "/nowhere"]) {
    const { headers, text } = await clientOf(served).get(address);
    expect(headers.get("content-security-policy")).toContain("default-src 'none';script-src 'self'");
    expect(text).not.toMatch(/<style|<script>|\sstyle=|\son\w+=|(src|href)="(https?:)?\/\//);
  }
});

test("a slice links the pages of its answer as long as they are stored", async () => {
  const [one] = await stage.stage.query<{ slice_id: string; page: number }>(
    "select slice_id, page from raw.answer join ops.slice using (slice_id) where state = 'loaded' order by answer_id desc limit 1",
  );
  const page = `/slices/${one?.slice_id}`;
  const link = `href="${page}/answer?page=${one?.page}"`;
  expect((await operator.get(page)).text).toContain(link);
  expect((await viewer.get(page)).text).toContain("Only operators can see the stored answer.");
  await stage.stage.query(`delete from raw.answer where slice_id = ${one?.slice_id}`);
  const { text } = await operator.get(page);
  expect([text.includes("The answer is no longer stored."), text.includes("/answer?page=")]).toEqual([true, false]);
});

test("a stored answer is shown as text, cut, and without the token, and saved whole without it", async () => {
  const { token } = stage.stage.sandbox;
  const [one] = await stage.stage.query<{ slice_id: string; page: number }>(
    "select slice_id, page from raw.answer where slice_id is not null order by answer_id",
  );
  const body = `{"id":12345678901234567890,"name":"<script>alert(1)</script>","token":"${token}","text":"${"x".repeat(300_000)}"}`;
  await tried(
    stage.granted.adminUrl,
    `update raw.answer set body = decode('${zstdCompressSync(body).toString("hex")}', 'hex'), byte_count = ${body.length} where slice_id = ${one?.slice_id}`,
  );
  const address = `/slices/${one?.slice_id}/answer?page=${one?.page}`;
  const { status, text } = await operator.get(address);
  expect([status, text]).toEqual([200, expect.stringContaining("The first 200,000 characters")]);
  expect(text).toContain("&quot;name&quot;: &quot;&lt;script&gt;alert(1)&lt;/script&gt;&quot;");
  expect(text).toContain("&quot;id&quot;: 12345678901234567890");
  expect(text).not.toContain("<script>alert");
  const saved = await operator.get(`${address}&save=1`);
  expect(saved.headers.get("content-disposition")).toMatch(/^attachment; filename="slice-\d+-page-\d+\.json"$/);
  expect(saved.text.length).toBeGreaterThan(300_000);
  expect(saved.text).toContain('"name":"<script>alert(1)</script>"');
  for (const shown of [text, saved.text]) expect(shown.includes(token)).toBe(false);
});

test("pages are read as storehouse_reader, without a form of an action for a viewer; what a page may not read is no slow ledger", async () => {
  const all = "all tables in schema ops, core, mart";
  const open = await stage.start(withPasswords);
  const visitor = clientOf(open);
  const other = clientOf(await stage.start());
  await visitor.signIn(viewerPassword);
  await tried(stage.granted.adminUrl, `revoke select on ${all} from storehouse_loader`);
  try {
    for (const { examples } of pages.filter(({ role }) => role !== "operator"))
      for (const address of long ? examples : examples.slice(0, 1)) {
        const { status, text } = await visitor.get(address);
        expect([address, status, text.includes("/actions/")]).toEqual([address, 200, false]);
      }
    await tried(stage.granted.adminUrl, "revoke select on ops.freshness from storehouse_reader");
    expect((await other.get("/")).status).toBe(500);
  } finally {
    await tried(stage.granted.adminUrl, "grant select on ops.freshness to storehouse_reader");
    await tried(stage.granted.adminUrl, `grant select on ${all} to storehouse_loader`);
  }
});

test("pages are read as the connected role where storehouse_reader has no rights in the database, and there are no viewers", async () => {
  await tried(stage.granted.adminUrl, "revoke usage on schema ops, core, mart from storehouse_reader");
  try {
    const visitor = clientOf(await stage.start());
    for (const address of ["/", "/runs", "/coverage?dataset=keyword_rank"])
      expect([address, (await visitor.get(address)).status]).toEqual([address, 200]);
    await expect(stage.start(withPasswords)).rejects.toMatchObject({ code: "console_reader_missing" });
  } finally {
    await tried(stage.granted.adminUrl, "grant usage on schema ops, core, mart to storehouse_reader");
  }
});

test("once the period of credits is over the whole allowance is left again, as status says", async () => {
  const over = clientOf(await stage.start());
  const [before] = await stage.stage.query<{ total: number; resets_at: Date }>(
    "select total, resets_at from ops.credit_account",
  );
  const total = before?.total.toLocaleString("en-US");
  await stage.stage.query("update ops.credit_account set resets_at = $1, remaining = 100", [
    new Date(Date.UTC(2020, 0)),
  ]);
  for (const address of ["/", "/credits"]) {
    const { text } = await over.get(address);
    expect(text).toMatch(new RegExp(`class="number">${total}</strong>\\s*<span[^>]*>of ${total} left again<`));
    expect(text).toContain("The period ended 2020-01-01 00:00 UTC");
  }
  await stage.stage.query("update ops.credit_account set resets_at = $1, remaining = total", [before?.resets_at]);
});

test("where no worker ever ran there is no heartbeat", async () => {
  expect(await stage.stage.query("select from ops.worker where kind = 'worker'")).toEqual([]);
  const { text } = await operator.get("/");
  expect([text.includes("none running"), text.includes("heartbeat")]).toEqual([true, false]);
});

test("pages that take much of the processor are not served as often as a visitor likes; others are, and other visitors are not concerned", async () => {
  const calculator = "/credits/calculator?apps=1&countries=US&keywords=1";
  const statuses: number[] = [];
  for (let times = 0; times < 21; times += 1) statuses.push((await viewer.get(calculator)).status);
  expect([statuses[0], statuses.at(-2), statuses.at(-1)]).toEqual([200, 200, 429]);
  expect((await operator.get(calculator)).status).toBe(200);
  // other pages have a limit of their own, which they share
  const left = async (address: string) => Number((await viewer.get(address)).headers.get("x-ratelimit-remaining"));
  const before = await left("/runs");
  expect(before).toBeGreaterThan(1_000);
  expect(await left("/portfolio")).toBe(before - 1);
  expect((await viewer.post("/actions/stop", {})).headers.get("x-ratelimit-limit")).toBe("60");
});

test("the calculator prices the configuration that it writes, as setup does", async () => {
  // where an account tracks them its own lists are read every night as well
  const { text } = await operator.get("/credits/calculator?ids=1234567890&countries=US&named=alpha%0Abeta");
  const yaml = /<pre[^>]*><code>([^<]*)/.exec(text)?.[1] ?? "";
  expect(yaml).toContain("source: config");
  const settings = Settings.parse(parse(yaml));
  const { first, night } = await priceOfSetup(settings, null, { today: () => today } as Clock);
  const shown = [...text.matchAll(/<dd>([\d,]+)<\/dd>/g)].map(([, number]) => Number(number?.replaceAll(",", "")));
  expect(shown.slice(0, 2)).toEqual([Math.round(first), Math.round(night)]);
  expect(night).toBeGreaterThan(0);
});

test("callers of the gateway are on the page of credits, as the reader sees them", async () => {
  await stage.stage.query(
    `insert into ops.gateway_use (caller, date_day, hit_count, joined_count, saved_credits)
     values ('notebooks', (now() at time zone 'UTC')::date, 3, 1, 21)`,
  );
  const { text } = await viewer.get("/credits?days=8");
  const figure = (heading: string) => columnOf(text, "Callers of the gateway", heading);
  expect([figure("Caller"), figure("Calls"), figure("Charged"), figure("Saved")]).toEqual([
    ["notebooks"],
    ["4"],
    ["0"],
    ["21"],
  ]);
});

test("what apps cost is shown with the names of their stores", async () => {
  const { text } = await operator.get("/credits");
  expect(text).toMatch(/ \(\d+\), iOS</);
  expect(text).not.toMatch(/, ios</);
});

test("spending by day is drawn, with the days in a table below for who does not see it", async () => {
  const { text } = await viewer.get("/credits?days=7");
  const byDay = /<section[^>]*id="by-day"[^]*?<\/section>/.exec(text)?.[0] ?? "";
  expect(byDay).toMatch(/<svg[^>]*role="img"/);
  const [spent] = await stage.stage.query<{ credits: number; day: string }>(
    "select date_day::text as day, sum(booked_credits)::int as credits from ops.credit_spend_daily group by 1 order by 1 desc limit 1",
  );
  expect(spent?.credits).toBeGreaterThan(0);
  expect(byDay).toMatch(new RegExp(`<details>[^]*<td>${spent?.day}</td>[^]*${spent?.credits}`));
});

test("the days of the page of credits end with today and begin with the first of them, in the table and in the drawing", async () => {
  const [days] = await stage.stage.query<{ before: string; first: string; today: string }>(
    `with today as (select (now() at time zone 'UTC')::date as day),
          sent as (insert into ops.request (account_id, attempt, page, class, operation, params, status, cost, duration_ms, byte_count, received_at)
                   select 'a1', 1, 0, 'person', 'keywords.ranking', '{}', 200, 7, 1, 1, (day - ago + time '12:00') at time zone 'UTC'
                   from   today, unnest('{0,1,2}'::int[]) as ago)
     select (day - 2)::text as before, (day - 1)::text as first, day::text as today from today`,
  );
  const { before = "", first = "", today: last = "" } = days ?? {};
  for (const [address, shown] of [
    ["/credits?days=1", [last]],
    ["/credits?days=2", [first, last]],
    ["/credits?days=3", [before, first, last]],
  ] as const) {
    const { text } = await viewer.get(address);
    expect([address, columnOf(text, "Credits by day", "Day")]).toEqual([address, shown]);
    expect(text).toContain(`credits by day, ${shown[0]} to ${last}.`);
    for (const day of shown) expect(text).toContain(`person, ${day}: 7<`);
  }
});

test("the stream reports to an open page that the ledger has changed", async () => {
  const closing = new AbortController();
  const answer = await fetch(new URL("/live", served.url), {
    headers: { cookie: operator.cookie() },
    signal: closing.signal,
  });
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const changing = setInterval(
    () =>
      void stage.stage.query(
        "insert into ops.run (kind, as_of, datasets, started_at) values ('sync', now(), '{}', now())",
      ),
    300,
  );
  try {
    while (!text.includes("event: ledger")) text += (await reader?.read())?.value ?? "";
  } finally {
    clearInterval(changing);
    closing.abort();
  }
});
