import { beforeAll, expect, test } from "vitest";
import type { Console } from "../../src/console/server.ts";
import { addDays } from "../../src/core/day.ts";
import { today } from "../support/ingest-stage.ts";
import { clientOf, openConsoleStage, type Client } from "../support/console-stage.ts";
import { exploreViews, fillExplore } from "../support/explore-rows.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openConsoleStage);
let served: Console;
let client: Client;

beforeAll(async () => {
  await fillExplore(stage.granted);
  served = await stage.start();
  client = clientOf(served);
});

/** The SQL behind a view, as a visitor copies it. */
function sqlOf(text: string): string {
  const shown = /<code id="sql">([^]*?)<\/code>/.exec(text)?.[1] ?? "";
  return shown
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

test.each([
  ["ranks", 2],
  ["charts", 1],
  ["reviews", 2],
] as const)(
  "what %s draws and lists is downloaded, a file each, as its SQL gives it to the person who copies it",
  async (view, files) => {
    const { text } = await client.get(`/explore?view=${view}`);
    const statements = sqlOf(text).split(";\n");
    const links = [...text.matchAll(/href="(\/explore\.csv[^"]*)"/g)].map(([, link]) => link?.replaceAll("&amp;", "&"));
    expect([statements.length, links.length]).toEqual([files, files]);
    for (const [index, link] of links.entries()) {
      const rows = await stage.stage.query(statements[index] ?? "");
      expect(rows.length).toBeGreaterThan(0);
      const { text: file, headers } = await client.get(link ?? "");
      const [heading = "", ...lines] = file.trimEnd().split("\r\n");
      expect(lines).toHaveLength(rows.length);
      expect(heading.split(",").sort()).toEqual(Object.keys(rows[0] ?? {}).sort());
      expect(headers.get("content-type")).toContain("text/csv");
      expect(headers.get("content-disposition")).toMatch(/attachment; filename="storehouse-[\w.-]+\.csv"/);
    }
  },
);

test("a review of both lists of a store is shown once", async () => {
  const { text } = await client.get("/explore?view=reviews");
  expect(text.match(/<li class="card">/g)).toHaveLength(1);
  expect((await client.get("/explore.csv?view=reviews&table=none")).text).toContain("must be one of stars, texts");
});

test("a review of no known country counts in a country on Android alone, whose reviews have none", async () => {
  const apps = await stage.stage.query<{ app: string; store: string }>(
    "select distinct store || ':' || track_id as app, store from core.dim_app join core.fact_keyword_rank_summary using (app_key) order by store",
  );
  expect(apps.map(({ store }) => store)).toEqual(["android", "ios"]);
  for (const { app, store } of apps) {
    const { text } = await client.get(`/explore?view=reviews&app=${app}&from=2026-08-15`);
    const stars = await client.get(`/explore.csv?view=reviews&table=stars&app=${app}&from=2026-08-15`);
    const isShown = store === "android";
    expect([app, text.includes("of no known country"), stars.text.includes("2026-08-17,1,1,")]).toEqual([
      app,
      isShown,
      isShown,
    ]);
  }
});

test("movers name the days of both ranks, which may be further apart than the days back, and say of how many keywords", async () => {
  const { text } = await client.get("/explore?view=movers&back=1");
  const [, counts = ""] = sqlOf(text).split(";\n");
  // the day between failed
  const [before, now] = [addDays(today, -3), addDays(today, -1)];
  for (const day of [before, now]) expect(text).toContain(`<td>${day}</td>`);
  const known = await stage.stage.query<{ keyword_count: number }>(counts);
  expect(text).toContain(`Of ${known.reduce((sum, one) => sum + one.keyword_count, 0)} keywords: `);
  expect((await client.get("/explore.csv?view=movers&back=1")).text).toContain(`,${before},`);
});

test("where no earlier rank is known nothing is said to be missing that is loaded", async () => {
  const { text } = await client.get("/explore?view=movers&back=90");
  expect(text).toMatch(/Of \d+ keywords: \d+ without an answer 90 days before\./);
  expect(text).not.toContain("Nothing is loaded for");
});

test("two categories of one name, as Music of apps and of games, are two lines", async () => {
  const { text } = await client.get("/explore?view=charts");
  for (const name of ["Music 6011", "Music 7011"]) expect(text).toContain(`<td>${name}</td>`);
  expect(text).toContain("Music 7011, free, v2");
  expect(text).not.toContain("Overall 36");
});

test("a day whose answer names no place in a chart is not ranked; one without an answer is neither", async () => {
  // v2 has answers from the 14th on and places from the 16th; other versions are other charts
  await stage.stage.query(`
    insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at, ended_at)
    select 'category_rank', 'o', jsonb_build_object('app', a.track_id, 'store', a.store, 'country', 'US', 'resolution', 'daily', 'chart_version', v.version), v.first_day, '2026-08-20',
           '2026-08-20', '', 'daily', 'loaded', 1, 1, (select min(run_id) from ops.run), now(), now()
    from   core.dim_app as a, (values ('v1', date '2026-08-10'), ('v2', '2026-08-14')) as v (version, first_day)`);
  const { text } = await client.get("/explore?view=charts&from=2026-08-12&to=2026-08-19");
  expect(text).toContain("Overall, free, v2: requested on 6 of 8 days, not ranked on 2; best rank 7");
  expect(text).toMatch(/<td[^>]*>no place<\/td>/);
  expect((await client.get("/explore.csv?view=charts&from=2026-08-12&to=2026-08-19")).text).toContain(
    "2026-08-14,Overall,36,FREE,v2,\r\n",
  );
});

test("a drawing that has no room for each chart says of how many charts it shows the best", async () => {
  const { text } = await client.get("/explore?view=charts");
  const [drawing = ""] = /<svg[^]*?<\/svg>/.exec(text) ?? [];
  expect(drawing).toContain("6 of 8 charts, those with the best places");
  expect(drawing).toContain("F, free, v2");
  expect(drawing).not.toContain("H, free, v2");
});

test("of more than twenty years the newest are shown, and the form names them", async () => {
  const { text } = await client.get("/explore?from=2000-01-01&to=2199-12-31");
  expect(text).toContain('name="from" value="2180-01-01"');
  expect((await client.get("/explore?from=2010-01-01&to=2026-08-19")).text).toContain('name="from" value="2010-01-01"');
});

test("days of which reviews were not requested are hatched, and say so", async () => {
  const { text } = await client.get("/explore?view=reviews&from=2026-08-17&to=2026-08-19");
  // of the day with a review nobody knows whether it is the only one
  expect(text).toMatch(/<desc[^>]*>[^<]*3 days without an answer/);
  expect(text).toContain('fill="url(#wide-hatch)"');
});

test("each view is shown at its address, is drawn where there is something to draw, and has no style of its own", async () => {
  for (const view of exploreViews) {
    const { status, text } = await client.get(`/explore?view=${view}`);
    expect([view, status]).toEqual([view, 200]);
    expect(text).not.toMatch(/<[a-z][^<>]*\s(style|on\w+)=/);
    if (view !== "movers") expect(text).toContain('role="img"');
  }
});

test("a drawing is read out once, by what it shows: only ranks are about the keyword", async () => {
  for (const [view, isAboutKeyword] of [
    ["ranks", true],
    ["charts", false],
    ["reviews", false],
  ] as const) {
    const { text } = await client.get(`/explore?view=${view}`);
    const figure = /<figure[^]*?<\/title>/.exec(text)?.[0] ?? "";
    expect([view, figure.includes("Lumi: Habit Garden"), figure.includes("c++")]).toEqual([view, true, isAboutKeyword]);
    expect(figure).not.toContain("aria-label=");
  }
});

test("ranks are drawn with the releases of the app", async () => {
  const { text } = await client.get("/explore?view=ranks");
  expect(text).toContain("Releases: 2.0 on 2026-08-17.");
  expect(text).toContain("&lt;b onclick=&quot;x()&quot;&gt;new&lt;/b&gt;");
});

test("an app, a country or a keyword that nothing is known of is said to be so", async () => {
  const { text: unknown } = await client.get("/explore?app=ios:1");
  expect(unknown).toContain("No ranks of ios:1 are loaded.");
  // which loads no app that is not in the portfolio
  expect(unknown).not.toContain("storehouse sync");
  expect(unknown).toMatch(/<a href="\/explore\?view=ranks">what is loaded of any app/);
  for (const [query, says] of [
    ["country=DE", "No ranks in DE are loaded."],
    ["country=us&device=watch", "No ranks in US on watch are loaded."],
  ] as const) {
    const { text } = await client.get(`/explore?${query}`);
    expect([text, text.includes('role="img"')]).toEqual([expect.stringContaining(says), false]);
  }
  expect((await client.get("/explore?keyword=no+such+keyword")).text).toContain("Nothing is loaded for");
  expect(await client.get("/explore?from=yesterday")).toMatchObject({ status: 400 });
  for (const days of ["from=2026-08-19&to=2026-08-17", "from=2026-08-25"])
    expect(await client.get(`/explore?${days}`)).toMatchObject({
      status: 400,
      text: expect.stringMatching(/from is <[^>]*>2026-08-\d\d<\/span>, which is after to, <[^>]*>2026-08-1\d</),
    });
});

test("an app without keywords can be chosen for its charts and reviews, after those with ranks", async () => {
  await stage.stage.query(`
    with app as (insert into core.dim_app (store, track_id, app_name) values ('ios', '77', 'A wordless app') returning app_key)
    insert into core.review (app_key, review_id, source, reviewed_at, country_key, language_code, rating, title, slice_id, fetched_at)
    select app_key, '1', 'v2', '2026-08-18 10:00', (select country_key from core.dim_country where country_code = 'JP'), '', 2, 'silent', 1, '2026-08-20Z' from app`);
  const { text } = await client.get("/explore?view=reviews&app=ios:77");
  expect(text).toContain("silent");
  expect(text).toMatch(/<option[^>]*value="ios:77"[^>]*selected/);
  expect((await client.get("/explore?app=ios:77")).text).toContain("Nothing is loaded for A wordless app in JP");
  expect((await client.get("/explore")).text).not.toMatch(/<option[^>]*value="ios:77"[^>]*selected/);
});

test("a review without stars is in the bars, and where there is none nothing says so", async () => {
  const link = "/explore?view=reviews&app=ios:77&country=JP&from=";
  expect((await client.get(`${link}2026-08-15`)).text).not.toContain("no stars");
  await stage.stage.query(`
    insert into core.review (app_key, review_id, source, reviewed_at, country_key, language_code, title, slice_id, fetched_at)
    select app_key, 'bare', 'v2', '2026-08-18 11:00', (select country_key from core.dim_country where country_code = 'JP'), '', 'bare', 1, '2026-08-20Z'
    from   core.dim_app where track_id = '77'`);
  // other days, since a page that was just read is kept
  expect((await client.get(`${link}2026-08-14`)).text).toMatch(/no stars, 2026-08-17 to 2026-08-\d\d: 1/);
  expect((await client.get(`${link.replace("explore?", "explore.csv?table=stars&")}2026-08-14`)).text).toContain(
    "2026-08-18,2,0,1,0,0,0,1,",
  );
});

test("a field that a view does not use keeps its value for the others", async () => {
  const fields = { app: "", from: "2026-08-10", to: "2026-08-19", back: "30", keyword: "habit" };
  for (const view of exploreViews) {
    const { text } = await client.get(`/explore?${new URLSearchParams({ ...fields, view }).toString()}`);
    const form = /<form class="filters"[^]*?<\/form>/.exec(text)?.[0] ?? "";
    for (const name of ["from", "to", "keyword"] as const)
      expect([view, form]).toEqual([view, expect.stringContaining(`name="${name}" value="${fields[name]}"`)]);
    expect([view, form]).toEqual([
      view,
      expect.stringMatching(/name="back"[^>]*(value="30"|>[^]*value="30"\s+selected)/),
    ]);
    // no other app has ranks: none can be chosen
    if (view === "charts" || view === "reviews")
      expect([view, form]).toEqual([view, expect.stringContaining('name="with"')]);
  }
});

test("a form that is sent with another app shows that one, although it has no such device, country or keyword", async () => {
  const apps = (await client.get("/explore")).text.match(/<option value="\w+:[^"]+"/g) ?? [];
  const [ios = "", android = ""] = ["ios", "android"].map((store) => {
    const option = apps.find((one) => one.includes(`"${store}:`)) ?? "";
    return option.slice('<option value="'.length, -1);
  });
  const sent = { drawn: `${ios} US`, country: "US", device: "IPHONE", keyword: "none of that app", with: "ios:1" };
  const { text } = await client.get(`/explore?${new URLSearchParams({ ...sent, app: android }).toString()}`);
  expect(text).toMatch(new RegExp(`<option value="${android}"\\s+selected`));
  expect(text).toContain('role="img"');
  expect(text).not.toContain('value="none of that app"');
  // the same names in an address that no form made: nothing of another device stands under this one
  const address = new URLSearchParams({ ...sent, app: android, drawn: "" }).toString();
  expect((await client.get(`/explore?${address}`)).text).toContain(
    `No ranks of ${android} in US on IPHONE are loaded.`,
  );
  // nor where the form still has its app and country
  expect((await client.get(`/explore?${new URLSearchParams({ ...sent, app: ios }).toString()}`)).text).toContain(
    "Nothing is loaded for",
  );
});
