import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { Settings } from "../../src/config/settings.ts";
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
import { today } from "../support/ingest-stage.ts";

let stage: ConsoleStage;
let ann: Client;
let vic: Client;
let other: Client;
const folder = mkdtempSync(path.join(tmpdir(), "storehouse-listed-"));
const file = path.join(folder, "storehouse.yaml");
const written = () => readFileSync(file, "utf8");
const listed = () => Settings.parse(parse(written())).portfolio.apps.map(({ keywords }) => keywords);
let mine = "";
let app = "";
const fields = (keywords: string, verb = "add") => ({ app, verb, keywords, back: `/portfolio/listed/${app}` });
const post = (client: Client, more: Readonly<Record<string, string>>) => client.post("/actions/listed-keywords", more);

/** What a form that shows a price sends back. */
const agreementOf = (text: string) => {
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";
  return { agreed: field("agreed"), bound: field("bound"), typed: field("agreed") };
};

beforeAll(async () => {
  stage = await openConsoleStage();
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
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

describe("a change of what the configuration lists", () => {
  test("begins at what is listed and since when: apps, countries, keywords, and the apps that they are compared with", async () => {
    const { text } = await vic.get("/portfolio");
    const cards = text.slice(text.indexOf('id="configured"')).split('<section class="card">').slice(1);
    expect(cards).toHaveLength(2);
    expect(cards[0]).toMatch(
      new RegExp(`${app} ·\\s+in the portfolio since <[^>]*>${today}<[^]*>US<[^]*>2<[^]*<td>${today}</td>`),
    );
    expect(cards[1]).toMatch(new RegExp(`com\\.example\\.other</h2>[^]*since <[^>]*>${today}[^]*>JP<`));
    expect(text).not.toContain("has changed since this console started");
    const page = await vic.get(`/portfolio/listed/${app}`);
    expect(page.text).toMatch(new RegExp(`<td>ハビット</td>\\s*<td>${today}</td>`));
    expect(page.text).not.toContain("/actions/listed-keywords");
    expect((await vic.get("/portfolio/listed/1")).status).toBe(404);
  });

  test("is an operator's, by a form of this console, and of keywords that a portfolio can have", async () => {
    await vic.get(`/portfolio/listed/${app}`);
    expect((await post(vic, fields("new"))).status).toBe(403);
    expect((await post(ann, { ...fields("new"), agreed: "100", _csrf: "forged" })).status).toBe(403);
    await ann.get(`/portfolio/listed/${app}`);
    for (const [given, says] of [
      [fields("  \n "), "no keyword is given"],
      [fields("LUMI  habit"), "already lists exactly these keywords"],
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
    expect(text).toMatch(/2 keywords to remove[^]*A night then costs about [\d,]+ credits more than now/);
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
    const deed = await stage.lastDeed("listed-keywords");
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
    expect(text).toMatch(/<td>習慣<\/td>\s*<td>with the next sync<\/td>/);
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

  test("that waited for another person's is not made of what nobody has shown", async () => {
    await ann.get(`/portfolio/listed/${app}`);
    await other.get(`/portfolio/listed/${app}`);
    const [before = []] = listed();
    const [first, second] = [fields("one\ntwo", "sync"), fields("three\nfour", "sync")];
    const agreed = [await post(ann, first), await post(other, second)].map(({ text }) => agreementOf(text));
    const holding = new pg.Client({ connectionString: stage.granted.adminUrl });
    await holding.connect();
    await holding.query("select pg_advisory_lock(hashtext('storehouse configuration'))");
    const posted = Promise.all([post(ann, { ...first, ...agreed[0] }), post(other, { ...second, ...agreed[1] })]);
    const waiting = "select count(*)::text as n from pg_locks where locktype = 'advisory' and not granted";
    await untilShown(async () => (await holding.query<{ n: string }>(waiting)).rows[0]?.n ?? "", /^2$/);
    await holding.end();
    const answers = await posted;
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
    expect(answers.find(({ status }) => status === 400)?.text).toContain("has changed since it was shown");
    expect([
      ["one", "two"],
      ["three", "four"],
    ]).toContainEqual(listed()[0]);
    await ann.get(`/portfolio/listed/${app}`);
    const back = fields(before.join("\n"), "sync");
    expect((await post(ann, { ...back, ...agreementOf((await post(ann, back)).text) })).status).toBe(303);
  });

  test("that would change another entry with it is refused, and is on record as that", async () => {
    const shared = `portfolio:\n  source: config\n  apps:\n    - { id: ${app}, countries: [US], keywords: &words [lumi] }\n    - { id: 2, countries: [US], keywords: *words }\n`;
    writeFileSync(file, shared);
    const shown = await post(ann, fields("new"));
    const refused = await post(ann, { ...fields("new"), ...agreementOf(shown.text) });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("config_shared")]);
    expect(written()).toBe(shared);
    expect(await stage.lastDeed("listed-keywords")).toMatchObject({ outcome: "failed" });
    // of the entry that shares it, it becomes its own
    const own = { ...fields("new"), app: "2" };
    expect((await post(ann, { ...own, ...agreementOf((await post(ann, own)).text) })).status).toBe(303);
    expect(listed()).toEqual([["lumi"], ["lumi", "new"]]);
    writeFileSync(file, "portfolio: [");
    expect((await ann.get("/portfolio")).text).toContain("The configuration file cannot be read");
    expect((await post(ann, fields("new"))).text).toContain("must be fixed first");
  });

  test("where the console may not write the file is shown as the lines to put there, without a button", async () => {
    writeFileSync(file, mine);
    // root may write with any mode
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
