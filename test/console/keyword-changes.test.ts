import pg from "pg";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  clientOf,
  openConsoleStage,
  operatorPassword,
  untilShown,
  viewerPassword,
  withPasswords,
  type Client,
} from "../support/console-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openConsoleStage);
let ann: Client;
let bob: Client;
let vic: Client;
let place = { app: "", country: "US", back: "/portfolio" };

beforeAll(async () => {
  const served = await stage.start(withPasswords);
  [ann, bob, vic] = [clientOf(served), clientOf(served), clientOf(served)];
  await ann.signIn(operatorPassword, "Ann");
  await bob.signIn(operatorPassword, "Bob");
  await vic.signIn(viewerPassword, "Vic");
  const [row] = await stage.stage.query<{ track_id: string }>(
    "select track_id from core.dim_app join core.tracked_app using (app_key) where store = 'ios' order by 1",
  );
  place = { ...place, app: row?.track_id ?? "" };
});
afterEach(() => stage.stage.sandbox.set({ faults: [] }));

const holdsLock = "select pg_advisory_lock(hashtext('storehouse keywords'))";
const waiting =
  "select count(*)::text as n from pg_locks join pg_database on oid = database where datname = current_database() and locktype = 'advisory' and not granted";

/** The price that a form shows to a person. */
async function priceFor(client: Client, fields: Readonly<Record<string, string>>): Promise<string> {
  await client.get(`/portfolio/${place.app}/US`);
  const { text } = await client.post("/actions/keywords", fields);
  return /name="agreed" value="(\d+)"/.exec(text)?.[1] ?? "";
}

describe("a change of keywords", () => {
  test("of which one is too long is refused with a next step on this page", async () => {
    await ann.get(`/portfolio/${place.app}/US`);
    const { status, text } = await ann.post("/actions/keywords", { ...place, verb: "add", keywords: "k".repeat(300) });
    expect(status).toBe(400);
    expect(text).toMatch(/k{20,}.* of 300 characters: a keyword is shorter than 255 characters/);
    expect(text).toMatch(/Next:<\/strong> Go back and correct it\./);
    expect(text).not.toContain("--help");
  });

  test("for a country that does not exist is not offered, and is refused as by the command", async () => {
    const noCountry = "XX is not an ISO 3166-1 country code";
    expect(await ann.get(`/portfolio/${place.app}/XX`)).toMatchObject({
      status: 400,
      text: expect.stringContaining(noCountry),
    });
    const typed = { ...place, country: "xx", verb: "add", keywords: "one" };
    expect(await ann.post("/actions/keywords", typed)).toMatchObject({
      status: 400,
      text: expect.stringContaining(noCountry),
    });
  });

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
    await holding.query(holdsLock);
    const posted = Promise.all([
      ann.post("/actions/keywords", { ...first, agreed: agreed[0] ?? "" }),
      bob.post("/actions/keywords", { ...second, agreed: agreed[1] ?? "" }),
    ]);
    await Promise.race([
      untilShown(async () => (await holding.query<{ n: string }>(waiting)).rows[0]?.n ?? "", /^2$/),
      posted,
    ]);
    expect(stage.stage.requested()).toEqual([]);
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

  test("that waited while another one was made and read is refused what that person was not shown", async () => {
    const fields = { ...place, verb: "sync", keywords: "mine" };
    const agreed = await priceFor(ann, fields);
    const theirs = { ...place, verb: "add", keywords: "theirs" };
    const added = await bob.post("/actions/keywords", { ...theirs, agreed: await priceFor(bob, theirs) });
    expect(added.status).toBe(303);
    const holding = new pg.Client({ connectionString: stage.granted.adminUrl });
    await holding.connect();
    await holding.query(holdsLock);
    const posted = ann.post("/actions/keywords", { ...fields, agreed });
    await untilShown(async () => (await holding.query<{ n: string }>(waiting)).rows[0]?.n ?? "", /^1$/);
    await stage.stage.sync({ request: { datasets: ["tracked_keyword"] } });
    await holding.end();
    const answer = await posted;
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/\d keywords? more would be removed/)]);
  });

  test("that waits for another process ends when its console closes, and is on record as failed", async () => {
    const fields = { ...place, verb: "add", keywords: "too late" };
    const closing = await stage.start(withPasswords);
    const eve = clientOf(closing);
    await eve.signIn(operatorPassword, "Eve");
    const agreed = await priceFor(eve, fields);
    const holding = new pg.Client({ connectionString: stage.granted.adminUrl });
    await holding.connect();
    await holding.query(holdsLock);
    const posted = eve.post("/actions/keywords", { ...fields, agreed }).catch(() => "cut");
    await untilShown(async () => (await holding.query<{ n: string }>(waiting)).rows[0]?.n ?? "", /^1$/);
    await closing[Symbol.asyncDispose]();
    await holding.end();
    expect(await posted).toBe("cut");
    expect(await stage.lastDeed("keywords")).toMatchObject({
      user_name: "Eve",
      outcome: "failed",
      note: expect.stringMatching(/^stopped: the process is stopping/),
    });
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
    expect(answer.text).toContain("Only partly done");
    expect(await stage.lastDeed("keywords")).toMatchObject({
      outcome: "failed",
      note: expect.stringContaining("200 of 201 added"),
      has_ended: true,
    });
    stage.stage.sandbox.set({ faults: [] });
    const rest = await ann.post("/actions/keywords", { ...fields, agreed: await priceFor(ann, fields) });
    expect(rest.status).toBe(303);
  });

  test("whose button is pressed twice is made once", async () => {
    const fields = { ...place, verb: "add", keywords: "pressed\ntwice" };
    await ann.get(`/portfolio/${place.app}/US`);
    const { text } = await ann.post("/actions/keywords", fields);
    const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";
    const form = { ...fields, agreed: hidden("agreed"), bound: hidden("bound"), once: hidden("once") };
    stage.stage.sandbox.clearLog();
    const answers = await Promise.all([ann.post("/actions/keywords", form), ann.post("/actions/keywords", form)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    expect(answers.find(({ status }) => status === 409)?.text).toContain("was sent already");
    const sent = stage.stage.requested().map(({ operation }) => operation);
    expect(sent.filter((one) => one === "dashboard.add-keywords")).toHaveLength(1);
    expect(sent.filter((one) => one === "dashboard.number-of-keywords")).toHaveLength(1);
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
    expect(shown.text).toMatch(/2 keywords to add[^]*A night then costs the same as now[^]*class="number">2</);
    expect(stage.stage.sandbox.log()).toEqual([]);
    const bound = /name="bound" value="([^"]+)"/.exec(shown.text)?.[1] ?? "";
    const other = await ann.post("/actions/keywords", { ...fields, keywords: "one more", agreed: "2", bound });
    expect([other.status, other.text]).toEqual([409, expect.stringContaining("has changed since it was shown")]);
    expect(other.text).toContain("+ one more");
    const done = await ann.post("/actions/keywords", { ...fields, agreed: "2", bound });
    const deed = await stage.lastDeed("keywords");
    const add = ["water <tracker>", "sleep diary"];
    expect(JSON.parse(deed?.subject ?? "")).toEqual({ app, country: "US", verb: "add", remove: [], add });
    expect([done.status, done.headers.get("location")]).toEqual([303, `/portfolio/${app}/US`]);
    expect((await ann.get(`/portfolio/${app}/US`)).text).toContain("2 added, 0 removed.");
    expect((await ann.get("/audit")).text).toContain("add water &lt;tracker&gt;, sleep diary");
    expect(stage.stage.requested().map(({ operation }) => operation)).toEqual([
      "dashboard.number-of-keywords",
      "dashboard.add-keywords",
    ]);
    expect((await vic.get(`/portfolio/${app}/US`)).text).not.toContain("/actions/keywords");
  });
});
