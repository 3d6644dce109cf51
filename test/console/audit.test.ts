import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { Settings } from "../../src/config/settings.ts";
import { addDays } from "../../src/core/day.ts";
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
import { tried } from "../support/granted-stage.ts";
import { today } from "../support/ingest-stage.ts";

let stage: ConsoleStage;
let served: Console;
let ann: Client;
let bob: Client;
let vic: Client;

beforeAll(async () => {
  stage = await openConsoleStage();
  served = await stage.start(withPasswords);
  [ann, bob, vic] = [clientOf(served), clientOf(served), clientOf(served)];
  await ann.signIn(operatorPassword, "Ann");
  await bob.signIn(operatorPassword, "Bob");
  await vic.signIn(viewerPassword, "Vic");
});
afterEach(() => stage.stage.sandbox.set({ faults: [] }));
afterAll(() => stage[Symbol.asyncDispose]());

/** The last action of a name, as it stands on record. */
async function lastDeed(action: string) {
  const [row] = await stage.stage.query(
    "select user_name, outcome, note, ended_at is not null as has_ended from ops.audit where action = $1 order by audit_id desc limit 1",
    [action],
  );
  return row;
}

/** Waits until the last action of a name has ended. */
async function ended(action: string): Promise<void> {
  await untilShown(async () => String((await lastDeed(action))?.["has_ended"]), /true/);
}

const failing = (kind: "status" | "stall") =>
  stage.stage.sandbox.set({
    faults: [{ operation: "ios.keyword-ranking", contains: addDays(today, -2), times: 100, kind }],
  });

/** Retries the slice that failed, as a person agrees to it. */
async function retryFailed(): Promise<void> {
  const slices = await stage.failedSlice();
  await ann.get(`/slices/${slices}`);
  expect((await ann.post("/actions/retry", { slices, agreed: "3" })).status).toBe(303);
}

describe("an action that starts a run", () => {
  test("is on record as started while the run goes on, and as done with what came of it once a person has stopped it", async () => {
    failing("stall");
    await retryFailed();
    await untilShown(async () => (await ann.get("/runs")).text, /id="running"[^]*under way/);
    expect(await lastDeed("retry")).toMatchObject({
      user_name: "Ann",
      outcome: "started",
      note: "Retry of 1 slice has started and costs at most 3 credits.",
      has_ended: false,
    });
    const { text } = await bob.get("/runs");
    expect(text).toContain('action="/actions/stop"');
    expect((await bob.post("/actions/stop", {})).status).toBe(303);
    await ended("retry");
    expect(await lastDeed("retry")).toMatchObject({
      outcome: "done",
      note: expect.stringMatching(/^Run \d+ ended as interrupted: 1 slice, 0 failed, \d credits? spent\.$/),
      has_ended: true,
    });
    expect(await lastDeed("stop")).toMatchObject({ user_name: "Bob", outcome: "done", has_ended: true });
    // no worker goes on with what was stopped, and what it might have spent is on record
    expect(await stage.failedSlice()).not.toBe("");
    expect(await stage.stage.query("select max_credits from ops.run where kind = 'retry'")).toEqual([
      { max_credits: 3 },
    ]);
  });

  test("is on record as failed where the run failed", async () => {
    failing("status");
    await retryFailed();
    await ended("retry");
    expect(await lastDeed("retry")).toMatchObject({
      outcome: "failed",
      note: expect.stringMatching(/^Run \d+ ended as failed: 1 slice, 1 failed, 0 credits spent\./),
    });
    expect((await ann.get("/audit")).text).toMatch(/ended as failed: 1 slice/);
  });
});

test("what a console left open that was killed is settled by the next one: by how the run ended, or as failed where it was broken off", async () => {
  const { query } = stage.stage;
  const reopen = "update ops.audit set outcome = 'started', note = '', ended_at = null where action = 'retry'";
  await query(reopen);
  const [run] = await query<{ run_id: string }>(
    "select run_id::text from ops.audit where action = 'retry' order by audit_id desc limit 1",
  );
  await stage.start(withPasswords);
  expect(await lastDeed("retry")).toMatchObject({
    outcome: "failed",
    note: `Run ${run?.run_id} ended as failed.`,
    has_ended: true,
  });
  await query(reopen);
  await query("update ops.run set ended_at = null, outcome = null where run_id = $1", [run?.run_id]);
  await stage.start(withPasswords);
  expect(await lastDeed("retry")).toMatchObject({
    outcome: "failed",
    note: `Its process was killed: workers go on with what run ${run?.run_id} left.`,
  });
  await query("update ops.run set ended_at = now(), outcome = 'failed' where run_id = $1", [run?.run_id]);
});

test("a price is read for as long as a page is, and no longer", async () => {
  const hasty = clientOf(await stage.start({ ...withPasswords, settings: { console: { timeout_seconds: 0.3 } } }));
  await hasty.signIn(operatorPassword);
  const slices = await stage.failedSlice();
  await hasty.get(`/slices/${slices}`);
  const holding = new pg.Client({ connectionString: stage.granted.adminUrl });
  await holding.connect();
  try {
    await holding.query("begin; lock table ops.slice in access exclusive mode");
    expect((await hasty.post("/actions/retry", { slices })).status).toBe(503);
  } finally {
    await holding.end();
  }
});

test("nobody is let in of whom there is no record", async () => {
  await tried(stage.granted.adminUrl, "revoke insert on ops.audit from storehouse_loader");
  const stranger = clientOf(served);
  try {
    expect((await stranger.signIn(operatorPassword)).status).toBe(500);
    expect(stranger.cookie()).not.toContain("storehouse_session");
  } finally {
    await tried(stage.granted.adminUrl, "grant insert on ops.audit to storehouse_loader");
  }
  expect((await stranger.get("/")).status).toBe(303);
  expect((await stranger.signIn(operatorPassword)).status).toBe(303);
});

describe("a change of keywords", () => {
  let place = { app: "", country: "US", back: "/portfolio" };

  beforeAll(async () => {
    const [row] = await stage.stage.query<{ track_id: string }>(
      "select track_id from core.dim_app join core.tracked_app using (app_key) where store = 'ios' order by 1",
    );
    place = { ...place, app: row?.track_id ?? "" };
  });

  /** The price that a form shows to a person. */
  async function priceFor(client: Client, fields: Readonly<Record<string, string>>): Promise<string> {
    await client.get(`/portfolio/${place.app}/US`);
    const { text } = await client.post("/actions/keywords", fields);
    return /name="agreed" value="(\d+)"/.exec(text)?.[1] ?? "";
  }

  test("that two operators make at once is made by one after the other: the second is refused what nobody has shown to them", async () => {
    const [first, second] = [
      { ...place, verb: "sync", keywords: "one\ntwo\nthree\nfour" },
      { ...place, verb: "sync", keywords: "five\nsix\nseven\neight" },
    ];
    // as many as there were: by their number alone nobody sees that they are others
    const [tracked] = await stage.stage.query(
      "select count(*)::int as n from core.tracked_keyword join core.dim_country using (country_key) join core.dim_app using (app_key) where track_id = $1 and country_code = 'US' and valid_to is null",
      [place.app],
    );
    expect(tracked).toEqual({ n: 4 });
    const agreed = [await priceFor(ann, first), await priceFor(bob, second)];
    stage.stage.sandbox.clearLog();
    const holding = new pg.Client({ connectionString: stage.granted.adminUrl });
    await holding.connect();
    await holding.query("select pg_advisory_lock(hashtext('storehouse keywords'))");
    const posted = Promise.all([
      ann.post("/actions/keywords", { ...first, agreed: agreed[0] ?? "" }),
      bob.post("/actions/keywords", { ...second, agreed: agreed[1] ?? "" }),
    ]);
    const waiting = "select count(*)::text as n from pg_locks where locktype = 'advisory' and not granted";
    await Promise.race([
      untilShown(async () => (await holding.query<{ n: string }>(waiting)).rows[0]?.n ?? "", /^2$/),
      posted,
    ]);
    expect(stage.stage.asked()).toEqual([]);
    await holding.end();
    const answers = await posted;
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
    expect(answers.find(({ status }) => status === 400)?.text).toContain("4 keywords more would be removed");
    const added = stage.stage.sandbox.log().filter(({ operation }) => operation === "dashboard.add-keywords");
    expect(added).toHaveLength(1);
    const deeds = await stage.stage.query(
      "select outcome from ops.audit where action = 'keywords' order by audit_id desc limit 2",
    );
    expect(deeds.map(({ outcome }) => outcome).sort()).toEqual(["done", "failed"]);
  });

  test("that fails half-way says what was done, and is on record with it", async () => {
    const keywords = Array.from({ length: 201 }, (_, index) => `word ${String(index).padStart(3, "0")}`);
    const fields = { ...place, verb: "add", keywords: keywords.join("\n") };
    const agreed = await priceFor(ann, fields);
    // the first call brings two hundred of them, the second the last one
    stage.stage.sandbox.set({
      faults: [{ operation: "dashboard.add-keywords", contains: "word 200", times: 100, kind: "status", status: 400 }],
    });
    const answer = await ann.post("/actions/keywords", { ...fields, agreed });
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("200 of 201 added, 0 of 0 removed")]);
    expect(answer.text).toContain("Not all was done");
    expect(await lastDeed("keywords")).toMatchObject({
      outcome: "failed",
      note: expect.stringContaining("200 of 201 added"),
      has_ended: true,
    });
    stage.stage.sandbox.set({ faults: [] });
    const rest = await ann.post("/actions/keywords", { ...fields, agreed: await priceFor(ann, fields) });
    expect(rest.status).toBe(303);
  });

  test("is shown as what would be added, with the price of a night, and sent when that is agreed to", async () => {
    const { app } = place;
    const page = await ann.get(`/portfolio/${app}/US`);
    expect(page.text).toContain("See what would change");
    const fields = {
      app,
      country: "US",
      verb: "add",
      keywords: "water <tracker>\n\n Water  <tracker>\nsleep diary",
      back: `/portfolio/${app}/US`,
    };
    stage.stage.sandbox.clearLog();
    const shown = await ann.post("/actions/keywords", fields);
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining("+ water &lt;tracker&gt;")]);
    expect(shown.text).toMatch(/2 keywords to add[^]*A night then costs about[^]*class="number">2</);
    expect(stage.stage.sandbox.log()).toEqual([]);
    const bound = /name="bound" value="([^"]+)"/.exec(shown.text)?.[1] ?? "";
    const other = await ann.post("/actions/keywords", { ...fields, keywords: "one more", agreed: "2", bound });
    expect([other.status, other.text]).toEqual([409, expect.stringContaining("has changed since it was shown")]);
    expect(other.text).toContain("+ one more");
    const done = await ann.post("/actions/keywords", { ...fields, agreed: "2", bound });
    const [deed] = await stage.stage.query<{ subject: string }>(
      "select subject from ops.audit where action = 'keywords' order by audit_id desc limit 1",
    );
    const add = ["water <tracker>", "sleep diary"];
    expect(JSON.parse(deed?.subject ?? "")).toEqual({ app, country: "US", verb: "add", remove: [], add });
    expect([done.status, done.headers.get("location")]).toEqual([303, `/portfolio/${app}/US`]);
    expect((await ann.get(`/portfolio/${app}/US`)).text).toContain("2 added, 0 removed.");
    expect(stage.stage.asked().map(({ operation }) => operation)).toEqual([
      "dashboard.number-of-keywords",
      "dashboard.add-keywords",
    ]);
    expect((await vic.get(`/portfolio/${app}/US`)).text).not.toContain("/actions/keywords");
  });
});

describe("a change of what the configuration lists", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-listed-"));
  const file = path.join(folder, "storehouse.yaml");
  const written = () => readFileSync(file, "utf8");
  const listed = () => Settings.parse(parse(written())).portfolio.apps.map(({ keywords }) => keywords);
  let mine = "";
  let app = "";
  let other: Client;
  const fields = (keywords: string, verb = "add") => ({ app, verb, keywords, back: `/portfolio/listed/${app}` });
  const post = (client: Client, more: Readonly<Record<string, string>>) =>
    client.post("/actions/listed-keywords", more);

  /** What a form that shows a price hands back. */
  const agreementOf = (text: string) => {
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";
    return { agreed: field("agreed"), bound: field("bound"), typed: field("agreed") };
  };

  beforeAll(async () => {
    const [row] = await stage.stage.query<{ track_id: string }>(
      "select track_id from core.dim_app join core.tracked_app using (app_key) where store = 'ios' order by 1",
    );
    app = row?.track_id ?? "";
    mine = `# mine\nportfolio:\n  source: both\n  apps:\n    - id: ${app} # pays\n      countries: [US]\n      keywords:\n        # the brand\n        - lumi habit\n        - ハビット\n    - id: com.example.other\n      countries: [JP]\n`;
    writeFileSync(file, mine);
    const { portfolio } = Settings.parse(parse(mine));
    const { url } = await stage.start({
      ...withPasswords,
      settingsFile: file,
      settings: { portfolio, credits: { ask_above: 2 } },
    });
    await stage.stage.sync({ settings: { portfolio } });
    [ann, vic, other] = [clientOf({ url }), clientOf({ url }), clientOf({ url })];
    await ann.signIn(operatorPassword, "Ann");
    await vic.signIn(viewerPassword, "Vic");
    await other.signIn(operatorPassword, "Bob");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("begins at what is listed and since when: apps, countries, keywords, and the apps that they are compared with", async () => {
    const { text } = await vic.get("/portfolio");
    const cards = text.slice(text.indexOf('id="configured"')).split('<section class="card">').slice(1);
    expect(cards).toHaveLength(2);
    expect(cards[0]).toMatch(
      new RegExp(`${app} ·\\s+in the portfolio since ${today}[^]*>US<[^]*>2<[^]*<td>${today}</td>`),
    );
    expect(cards[1]).toMatch(new RegExp(`com\\.example\\.other</h2>[^]*since ${today}[^]*>JP<`));
    expect(text).not.toContain("has changed since this console started");
    const page = await vic.get(`/portfolio/listed/${app}`);
    expect(page.text).toMatch(new RegExp(`<td>ハビット</td>\\s*<td>${today}</td>`));
    expect(page.text).not.toContain("/actions/listed-keywords");
    expect((await vic.get("/portfolio/listed/1")).status).toBe(404);
  });

  test("is an operator's, by a form of this console, and of keywords that can be followed", async () => {
    await vic.get(`/portfolio/listed/${app}`);
    expect((await post(vic, fields("new"))).status).toBe(403);
    expect((await post(ann, { ...fields("new"), agreed: "100", _csrf: "forged" })).status).toBe(403);
    await ann.get(`/portfolio/listed/${app}`);
    for (const [given, says] of [
      [fields("  \n "), "no keyword is named"],
      [fields("LUMI  habit"), "lists just these keywords already"],
      [fields(".."), "'..'"],
      [fields("x".repeat(300)), "shorter than 255"],
      [fields("new", "drop"), "verb"],
      [{ ...fields("new"), entry: "2" }, `entry of ${app}`],
    ] as const)
      expect([says, (await post(ann, given)).text]).toEqual([
        says,
        expect.stringContaining(says.replaceAll("'", "&#39;")),
      ]);
    expect(written()).toBe(mine);
  });

  test("of 5,000 lines is shown with the price of a night, and nothing is written", async () => {
    await ann.get(`/portfolio/listed/${app}`);
    const lines = Array.from({ length: 5_000 }, (_, index) => `<script>alert(${index % 4_990})</script> 習慣`);
    const { status, text } = await post(ann, fields(lines.join("\r\n"), "sync"));
    expect([status, text]).toEqual([200, expect.stringContaining("4,990 keywords to add")]);
    expect(text).toMatch(
      /2 keywords to remove[^]*A night then costs about <strong>[\d,]+<\/strong> credits, now [\d,]+/,
    );
    expect(text).toContain("+ &lt;script&gt;alert(0)&lt;/script&gt; 習慣");
    expect(text).not.toContain("<script>alert");
    expect(written()).toBe(mine);
  });

  test("is written when its price is agreed to, typed above credits.ask_above; comments stay, and it is on record", async () => {
    await ann.get(`/portfolio/listed/${app}`);
    const words = Array.from({ length: 600 }, (_, index) => `word ${index}`);
    const given = fields(["習慣", "lumi habit", "yes", "習慣 ", ...words].join("\n"), "sync");
    const shown = await post(ann, given);
    const agreement = agreementOf(shown.text);
    expect(Number(agreement.agreed)).toBeGreaterThan(2);
    expect(shown.text).toContain("more in the first night");
    for (const typed of ["", "1"]) expect((await post(ann, { ...given, ...agreement, typed })).status).toBe(409);
    expect(written()).toBe(mine);
    const done = await post(ann, { ...given, ...agreement });
    expect([done.status, done.headers.get("location")]).toEqual([303, `/portfolio/listed/${app}?entry=1`]);
    expect(written()).toBe(
      mine.replace("        - ハビット\n", ["習慣", "yes", ...words].map((word) => `        - ${word}\n`).join("")),
    );
    const [deed] = await stage.stage.query<{ subject: string; credits: number; note: string }>(
      "select user_name, outcome, subject, credits, note from ops.audit where action = 'listed-keywords' order by audit_id desc limit 1",
    );
    expect(deed).toMatchObject({ user_name: "Ann", outcome: "done", credits: Number(agreement.agreed) });
    expect(JSON.parse(deed?.subject ?? "")).toEqual({
      app,
      entry: 1,
      verb: "sync",
      remove: ["ハビット"],
      add: ["習慣", "yes", ...words],
    });
    const { text } = await ann.get(`/portfolio/listed/${app}`);
    expect(text).toContain("602 added, 1 removed.");
    expect(text).toContain("has changed since this console started");
    expect(text).toMatch(/<td>習慣<\/td>\s*<td>from the next sync on<\/td>/);
  });

  test("that another person made meanwhile is shown again, and both are in the file in the end", async () => {
    await ann.get(`/portfolio/listed/${app}`);
    await other.get(`/portfolio/listed/${app}`);
    const [before = []] = listed();
    const [first, second] = [fields("alpha\nbeta"), fields("beta\ngamma")];
    const [shown, stale] = [await post(ann, first), await post(other, second)];
    expect((await post(ann, { ...first, ...agreementOf(shown.text) })).status).toBe(303);
    const again = await post(other, { ...second, ...agreementOf(stale.text) });
    expect([again.status, again.text]).toEqual([409, expect.stringContaining("has changed since it was shown")]);
    expect((await post(other, { ...second, ...agreementOf(again.text) })).status).toBe(303);
    expect(listed()).toEqual([[...before, "alpha", "beta", "gamma"], []]);
  });

  test("that would change another entry with it is refused, and is on record as that", async () => {
    const shared = `portfolio:\n  source: config\n  apps:\n    - { id: ${app}, countries: [US], keywords: &words [lumi] }\n    - { id: 2, countries: [US], keywords: *words }\n`;
    writeFileSync(file, shared);
    const shown = await post(ann, fields("new"));
    const refused = await post(ann, { ...fields("new"), ...agreementOf(shown.text) });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("config_shared")]);
    expect(written()).toBe(shared);
    expect(await lastDeed("listed-keywords")).toMatchObject({ outcome: "failed" });
    // of the entry that shares it, it becomes its own
    const own = { ...fields("new"), app: "2" };
    expect((await post(ann, { ...own, ...agreementOf((await post(ann, own)).text) })).status).toBe(303);
    expect(listed()).toEqual([["lumi"], ["lumi", "new"]]);
    writeFileSync(file, "portfolio: [");
    expect((await ann.get("/portfolio")).text).toContain("The configuration file cannot be read");
    expect((await post(ann, fields("new"))).text).toContain("has to be mended first");
  });

  test("where the console may not write the file is shown as the lines to put there, without a button", async () => {
    writeFileSync(file, mine);
    // root may write whatever its mode is
    if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534);
    else chmodSync(file, 0o444);
    const { status, text } = await post(ann, fields("new & improved"));
    expect([status, text]).toEqual([200, expect.stringContaining(`The console cannot write ${file}`)]);
    expect(text).not.toContain("Change the configuration</button>");
    const lines = /<pre[^>]*><code>([^<]*)/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(Settings.parse(parse(lines)).portfolio.apps).toEqual([
      { id: app, countries: ["US"], keywords: ["lumi habit", "ハビット", "new & improved"] },
    ]);
    const pressed = await post(ann, { ...fields("new & improved"), ...agreementOf(text) });
    expect([pressed.status, written()]).toEqual([409, mine]);
  });
});
