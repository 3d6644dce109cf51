import { zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { priceOfSetup } from "../../src/cli/setup.ts";
import { Settings } from "../../src/config/settings.ts";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { columnOf } from "../support/html-tables.ts";
import { tried } from "../support/granted-stage.ts";
import { today } from "../support/ingest-stage.ts";
import { leftWordsIn } from "../support/left-words.ts";
import { readChoice } from "../../src/console/explore/choice.ts";
import { pages } from "../../src/console/pages/all.ts";
import type { Console } from "../../src/console/server.ts";
import {
  clientOf,
  openConsoleStage,
  operatorPassword,
  untilShown,
  viewerPassword,
  withPasswords,
  type Client,
  type ConsoleStage,
} from "../support/console-stage.ts";

let stage: ConsoleStage;
let served: Console;
let operator: Client;
let viewer: Client;

beforeAll(async () => {
  stage = await openConsoleStage();
  served = await stage.start(withPasswords);
  [operator, viewer] = [clientOf(served), clientOf(served)];
  await operator.signIn(operatorPassword, "Ann");
  await viewer.signIn(viewerPassword, "Vic");
});
afterAll(() => stage[Symbol.asyncDispose]());

const deeds = () =>
  stage.stage.query(
    "select user_name, user_role, action, credits, outcome from ops.audit where action not like 'sign-%' order by audit_id",
  );
/** Without those that were refused. */
const doneDeeds = async () => (await deeds()).filter(({ outcome }) => outcome !== "refused");

describe("who comes in", () => {
  test("nobody without a password: each page leads to sign-in, each action and the stream are refused", async () => {
    const stranger = clientOf(served);
    for (const { examples } of pages)
      for (const address of examples) {
        const { status, headers } = await stranger.get(address);
        expect([address, status, headers.get("location")]).toEqual([
          address,
          303,
          `/sign-in?to=${encodeURIComponent(address)}`,
        ]);
      }
    expect((await stranger.get("/live")).status).toBe(401);
    expect((await stranger.post("/actions/retry", {})).status).toBe(403);
  });

  test("nobody with a wrong one, nor as often as they like", async () => {
    const stranger = clientOf(await stage.start(withPasswords));
    const { status, text } = await stranger.signIn("wrong password");
    expect([status, text]).toEqual([401, expect.stringContaining("name or password is wrong")]);
    expect((await stranger.get("/")).status).toBe(303);
    // a person may have typed the password as the name
    await stranger.signIn("Ann", operatorPassword);
    const [refused] = await stage.stage.query(
      "select user_name, user_role, signed_in_by, outcome from ops.audit order by audit_id desc limit 1",
    );
    expect(refused).toEqual({ user_name: "unknown", user_role: null, signed_in_by: "password", outcome: "refused" });
    const statuses = [];
    for (let tries = 0; tries < 12; tries += 1) statuses.push((await stranger.signIn("wrong password")).status);
    expect(statuses.at(-1)).toBe(429);
  });

  test("a session that was signed out is over, in every copy of its cookie", async () => {
    const signedIn = clientOf(served);
    await signedIn.signIn(operatorPassword, "Olga");
    const copy = { headers: { cookie: signedIn.cookie() }, redirect: "manual" } as const;
    expect((await fetch(served.url, copy)).status).toBe(200);
    await signedIn.get("/");
    expect((await signedIn.post("/sign-out", {})).status).toBe(303);
    expect((await fetch(served.url, copy)).status).toBe(303);
    const visits = await stage.stage.query(
      "select user_name, user_role, action, outcome, ended_at is not null as has_ended from ops.audit order by audit_id desc limit 2",
    );
    const visit = { user_name: "Olga", user_role: "operator", outcome: "done", has_ended: true };
    expect(visits).toEqual([
      { ...visit, action: "sign-out" },
      { ...visit, action: "sign-in" },
    ]);
  });

  test("a session ends after twelve hours, and its cookie goes to this console alone", async () => {
    const clock = { ...systemClock(today), now: () => time };
    let time = Date.now();
    const short = await stage.start({ ...withPasswords, clock });
    const signedIn = clientOf(short);
    const [session = ""] = (await signedIn.signIn(operatorPassword)).headers.getSetCookie();
    expect(session).toMatch(/^storehouse_session_\d+=/);
    expect(session.split("; ").slice(1).sort()).toEqual(["HttpOnly", "Path=/", "SameSite=Strict"]);
    // cookies are sent to all ports of a machine
    expect(session).toContain(`_${short.port}=`);
    time += 12 * 3_600_000 - 1;
    expect((await signedIn.get("/runs")).status).toBe(200);
    time += 1;
    expect((await signedIn.get("/runs")).status).toBe(303);
  });

  test("nobody is signed out by a form that was forged, or made before they signed in, or sent by a page of another site", async () => {
    const signedIn = clientOf(served);
    const before = /name="_csrf" value="([^"]+)"/.exec((await signedIn.get("/sign-in")).text)?.[1] ?? "";
    await signedIn.post("/sign-in", { name: "Ann", password: operatorPassword });
    const own = /name="_csrf" value="([^"]+)"/.exec((await signedIn.get("/")).text)?.[1] ?? "";
    for (const _csrf of ["forged", before]) expect((await signedIn.post("/sign-out", { _csrf })).status).toBe(403);
    const body = new URLSearchParams({ _csrf: own }).toString();
    const type = "application/x-www-form-urlencoded";
    const { origin } = new URL(served.url);
    for (const [headers, status] of [
      [{ origin: "http://evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{ origin, "sec-fetch-site": "same-site" }, 403],
      [{ origin }, 303],
    ] as const) {
      const sent = { "content-type": type, cookie: signedIn.cookie(), ...headers };
      const answer = await fetch(new URL("/sign-out", served.url), {
        method: "POST",
        headers: sent,
        body,
        redirect: "manual",
      });
      expect([headers, answer.status]).toEqual([headers, status]);
    }
  });

  test.each(["//evil.example", "/\\evil.example", "/\t/evil.example", "https://evil.example/"])(
    "sign-in leads to no other site: %j",
    async (to) => {
      const answer = await clientOf(served).get(`/sign-in?${new URLSearchParams({ to }).toString()}`);
      expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    },
  );

  test("a session that somebody made up is none", async () => {
    const session = Buffer.from(JSON.stringify({ name: "x", role: "operator", until: 9e15 })).toString("base64url");
    const answer = await fetch(served.url, {
      headers: { cookie: `storehouse_session_${served.port}=${session}.${"A".repeat(43)}` },
      redirect: "manual",
    });
    expect(answer.status).toBe(303);
  });

  test("other machines only where a password is set", async () => {
    await expect(stage.start({ host: "0.0.0.0" })).rejects.toMatchObject({ code: "console_needs_password" });
    const open = await stage.start({ host: "0.0.0.0", ...withPasswords });
    expect((await clientOf(open).get("/")).status).toBe(303);
  });

  test("without a password this machine alone, by its own name: a page of another site does not get in by a name of its own", async () => {
    const open = await stage.start();
    expect((await clientOf(open).get("/")).status).toBe(200);
    const rebound = await new Promise<number>((resolve) => {
      void import("node:http").then(({ get }) =>
        get(open.url, { headers: { host: "evil.example" } }, ({ statusCode }) => resolve(statusCode ?? 0)),
      );
    });
    expect(rebound).toBe(403);
  });

  test.each(["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"])(
    "nor whom a reverse proxy on this machine lets in without a password: %s",
    async (name) => {
      const open = clientOf(await stage.start());
      const forwarded = await open.get("/", { [name]: "for=10.1.2.3" });
      expect([forwarded.status, forwarded.text]).toEqual([403, expect.stringContaining("console_host")]);
      expect((await open.get("/")).status).toBe(200);
    },
  );

  test("whom the reverse proxy names, from its address and only where it is set", async () => {
    const header = { "x-forwarded-user": "ann@example.com" };
    const proxy = { user_header: "X-Forwarded-User", operators: ["ann@example.com"] };
    const behind = clientOf(await stage.start({ settings: { console: { proxy } } }));
    expect((await behind.get("/", header)).text).toContain('ann@example.com</span> <span class="muted">operator');
    expect((await behind.get("/", { "x-forwarded-user": "bob" })).text).toContain(
      'bob</span> <span class="muted">viewer',
    );
    expect((await behind.get("/")).status).toBe(401);
    const elsewhere = { ...proxy, addresses: ["10.0.0.1"] };
    const spoofed = clientOf(await stage.start({ settings: { console: { proxy: elsewhere } } }));
    expect((await spoofed.get("/", header)).status).toBe(401);
    expect((await clientOf(served).get("/", header)).status).toBe(303);
  });

  test("a reverse proxy that only speaks TLS names nobody: a password signs in, and its cookie is for https", async () => {
    const proxied = clientOf(await stage.start({ ...withPasswords, settings: { console: { proxy: {} } } }));
    expect((await proxied.get("/", { "x-forwarded-user": "ann@example.com" })).status).toBe(303);
    const { headers } = await proxied.get("/sign-in", { "x-forwarded-proto": "https", "x-forwarded-for": "10.9.8.7" });
    expect(headers.getSetCookie().join()).toContain("Secure");
    expect((await proxied.signIn(operatorPassword)).status).toBe(303);
    const nobody = stage.start({ settings: { console: { proxy: {} } } });
    await expect(nobody).rejects.toMatchObject({ code: "console_nobody_in" });
  });
});

describe("what an action takes", () => {
  test("a form of this console: a forged one is refused and changes nothing", async () => {
    const slices = await stage.failedSlice();
    const forged = await operator.post("/actions/retry", { slices, agreed: "100", _csrf: "forged" });
    expect([forged.status, forged.text]).toEqual([403, expect.stringContaining("console_forged")]);
    expect(await deeds()).toEqual([
      { user_name: "Ann", user_role: "operator", action: "retry", credits: 0, outcome: "refused" },
    ]);
  });

  test("an operator: a viewer sees no button, and is refused", async () => {
    const slices = await stage.failedSlice();
    const shown = await viewer.get(`/slices/${slices}`);
    expect(shown.text).not.toContain("/actions/retry");
    const token = /name="_csrf" value="([^"]+)"/.exec(shown.text)?.[1] ?? "";
    const refused = await viewer.post("/actions/retry", { slices, agreed: "100", _csrf: token });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("A viewer may not do this")]);
    expect((await deeds()).at(-1)).toEqual({
      user_name: "Vic",
      user_role: "viewer",
      action: "retry",
      credits: 0,
      outcome: "refused",
    });
    expect(await stage.stage.query("select distinct subject from ops.audit where outcome = 'refused'")).toEqual([
      { subject: "" },
    ]);
  });

  test("what failed of an app, as an incident names it, is retried without a number of a slice", async () => {
    const [failed] = await stage.stage.query<{ app: string }>(
      "select scope ->> 'store' || ' ' || (scope ->> 'app') as app from ops.failed_slice",
    );
    await operator.get(`/slices/${await stage.failedSlice()}`);
    const asked = await operator.post("/actions/retry", { app: failed?.app ?? "" });
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining("1 failed slice of keyword_rank")]);
    const other = await operator.post("/actions/retry", { app: "ios 1" });
    expect([other.status, other.text]).toEqual([400, expect.stringContaining("nothing_to_retry")]);
  });

  test("a price that was shown and agreed to, typed above credits.ask_above; then it is on record with who did it", async () => {
    const careful = clientOf(await stage.start({ ...withPasswords, settings: { credits: { ask_above: 2 } } }));
    await careful.signIn(operatorPassword, "Ann");
    const slices = await stage.failedSlice();
    await careful.get(`/slices/${slices}`);
    const asked = await careful.post("/actions/retry", { slices });
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining("Nothing has been spent yet")]);
    const untyped = await careful.post("/actions/retry", { slices, agreed: "3" });
    expect([untyped.status, untyped.text]).toEqual([409, expect.stringContaining("more than credits.ask_above")]);
    expect((await careful.post("/actions/retry", { slices, agreed: "3", typed: "4" })).status).toBe(409);
    expect((await careful.post("/actions/retry", { slices, agreed: "1", typed: "3" })).status).toBe(409);
    expect(await doneDeeds()).toEqual([]);
    const begun = await careful.post("/actions/retry", { slices, agreed: "3", typed: "3" });
    expect([begun.status, begun.headers.get("location")]).toEqual([303, "/runs"]);
    await untilShown(async () => (await careful.get("/runs")).text, /id="running"[^]*badge good/);
    expect(await doneDeeds()).toEqual([
      { user_name: "Ann", user_role: "operator", action: "retry", credits: 3, outcome: "done" },
    ]);
    const again = await careful.post("/actions/retry", { slices, agreed: "3", typed: "3" });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining("nothing_to_retry")]);
  });
});

test("bad input and unknown addresses get a page that names them and the next step", async () => {
  for (const [address, status, says] of [
    ["/runs?limit=many", 400, "limit"],
    ["/runs/no-number", 400, "is no number"],
    ["/runs/999999", 404, "run 999999"],
    ["/nowhere", 404, "page at this address"],
  ] as const) {
    const answer = await operator.get(address);
    expect([address, answer.status]).toEqual([address, status]);
    expect(answer.text).toContain(says);
    expect(answer.text).toContain("<strong>Next:</strong>");
  }
  expect((await viewer.get("/slices/1/answer")).status).toBe(403);
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
      for (const address of examples) {
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

test("pages that take much of the processor are not had as often as somebody likes; others are, and other visitors are not concerned", async () => {
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

describe("what another account requested", () => {
  const loader = () => stage.granted.adminUrl;
  const acme = { accounts: { acme: {} } } as const;
  const asAcme = { STOREHOUSE_ACCOUNT: "acme", accountTokens: { acme: "of-acme" } };
  const retry = 'action="/actions/retry"';
  const slice = "9000001";
  let run = "";

  /** A copy of a slice that was loaded, with this number, in the run of acme. */
  const copyOf = (number: string, change: object) =>
    `insert into ops.slice overriding system value
     select (jsonb_populate_record(s, '${JSON.stringify({ slice_id: number, run_id: run, ...change })}')).*
     from ops.slice as s where dataset = 'keyword_rank' and state = 'loaded' and slice_id < ${slice} order by slice_id limit 1`;

  /** A visitor of a console that has read nothing so far. */
  async function visitorOf(environment: object): Promise<Client> {
    const visitor = clientOf(
      await stage.start({ settings: acme, environment: { ...withPasswords.environment, ...environment } }),
    );
    await visitor.signIn(operatorPassword);
    return visitor;
  }

  beforeAll(async () => {
    [{ run = "" } = {}] = await stage.stage.query<{ run: string }>(
      "insert into ops.run (kind, account, as_of, datasets, started_at) values ('sync', 'acme', now(), '{}', now()) returning run_id::text as run",
    );
    const refused = await tried(
      loader(),
      copyOf(slice, { state: "failed", error_code: "timeout", error_message: "timeout: no answer" }),
      "insert into ops.credit_account (account_id, account, pace_per_second, next_start_at) values ('hash', 'acme', 1, now())",
      `insert into ops.incident (kind, subject, account_id, summary, detail, opened_at, last_seen_at)
       select 'slices_failed', dataset || ' ' || error_code, '', 'some slices failed', '{}'::jsonb, now(), now() from ops.slice where slice_id = ${slice}
       union all select 'token_refused', '', 'hash', 'the token is refused', '{}'::jsonb, now(), now()`,
      `insert into core.tracked_competitor (app_key, competitor_app_key, account, valid_from, is_current, slice_id, fetched_at)
       select a.app_key, o.app_key, 'acme', '2026-01-01', true, 1, now()
       from core.dim_app as a join core.dim_app as o on o.app_key <> a.app_key`,
    );
    if (typeof refused === "string") throw new Error(`the rows are refused: ${refused}`);
  });
  afterAll(() =>
    tried(
      loader(),
      `delete from ops.slice where run_id = ${run}`,
      `delete from ops.run where run_id = ${run}`,
      "delete from ops.credit_account where account_id = 'hash'",
      "delete from ops.incident",
      "delete from core.tracked_competitor where account = 'acme'",
    ),
  );

  test("is named as its own, without a button that would find nothing", async () => {
    const visitor = await visitorOf({});
    expect((await visitor.get("/runs")).text).toMatch(new RegExp(`>${run}</a>\\s+sync for acme`));
    for (const address of [`/slices/${slice}`, `/runs/${run}?state=failed`]) {
      const { text } = await visitor.get(address);
      expect([address, text.includes(retry)]).toEqual([address, false]);
      expect(text).toMatch(/of account acme: retried\s+<code>with STOREHOUSE_ACCOUNT=acme<\/code>/);
      expect(text).not.toContain('id="whose"');
    }
    const { text } = await visitor.get("/");
    expect(text).toContain("Of account acme: the token is refused");
    expect(text).toContain("<p>some slices failed</p>");
    expect(text).not.toContain(retry);
  });

  test("is its own in a console of that account, which says whose it is on each page", async () => {
    const visitor = await visitorOf(asAcme);
    for (const address of ["/", `/slices/${slice}`, `/runs/${run}?state=failed`]) {
      const { text } = await visitor.get(address);
      expect([address, text.includes(retry)]).toEqual([address, true]);
      expect(text).toContain('<strong id="whose">account acme</strong>');
    }
    expect((await visitor.get("/")).text).toContain("<p>the token is refused</p>");
    expect((await visitor.get("/nowhere")).text).toContain('id="whose"');
    const { text } = await visitor.get("/credits");
    for (const by of ["day", "dataset", "app", "class"]) expect(text).toContain(`<h2>By ${by}, of all accounts</h2>`);
  });

  test("names its competitors to that account alone", async () => {
    await using opened = await stage.stage.open();
    const { db } = opened.warehouse;
    // neither of the two tracks an app
    const namedBy = async (account: string) =>
      (await readChoice(db, {}, account))?.options.apps.map(({ isCompetitor }) => isCompetitor);
    expect(await namedBy("acme")).toEqual([true, true]);
    expect(await namedBy("globex")).toEqual([false, false]);
  });

  test("has no retry where a newer slice made it good", async () => {
    expect(await tried(loader(), copyOf("9000002", {}))).not.toBeTypeOf("string");
    try {
      const visitor = await visitorOf(asAcme);
      for (const address of [`/slices/${slice}`, `/runs/${run}?state=failed`]) {
        const { status, text } = await visitor.get(address);
        expect([address, status, text.includes(retry)]).toEqual([address, 200, false]);
      }
    } finally {
      await tried(loader(), "delete from ops.slice where slice_id = 9000002");
    }
  });
});

test("the stream tells an open page that the ledger has changed", async () => {
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
