import { describe, expect, test } from "vitest";
import { barChart } from "../../src/charts/bar-chart.ts";
import { html } from "../../src/console/html.ts";
import type { PageContext } from "../../src/console/define-page.ts";
import { codeText } from "../../src/console/parts/code-text.ts";
import { incidentList } from "../../src/console/parts/incident-list.ts";
import { callersCard } from "../../src/console/parts/callers-card.ts";
import { Settings } from "../../src/config/settings.ts";
import { count } from "../../src/core/words.ts";
import type { OpenIncident } from "../../src/incidents/open-incidents.ts";
import { fail } from "../../src/core/errors.ts";
import { unlessSlow } from "../../src/console/slow.ts";
import { picture } from "../../src/console/parts/picture.ts";
import { stateLooks } from "../../src/charts/palette.ts";
import { kindOf } from "../../src/console/problem-page.ts";
import { nextRunsCard } from "../../src/console/parts/schedule-cards.ts";
import { spendTable } from "../../src/console/parts/spend-table.ts";
import { errorCodes, type ErrorCode } from "../../src/core/error-codes.ts";
import { trustList } from "../../src/console/parts/trust-list.ts";
import { familyStatus } from "../../src/console/parts/family-status.ts";
import { day } from "../../src/core/day.ts";
import { columnOf } from "../support/html-tables.ts";
import type { CompleteDays } from "../../src/ledger/complete-days.ts";

test("a picture brings the colours that it has on a dark page", async () => {
  const chart = (width: number) =>
    barChart({
      title: { before: "", name: "", after: "" },
      subtitle: { before: "", name: "", after: "" },
      axis: "credits",
      window: { start: day("2026-11-01"), end: day("2026-11-03") },
      series: [{ name: "credits", amounts: new Map([[day("2026-11-01"), 3]]) }],
      width,
    });
  const { markup } = await picture(chart, 760);
  expect(markup).toMatch(/^<link rel="stylesheet" href="\/drawings\.css" \/>\s*<figure /);
});

describe("markup", () => {
  test("escapes all that is put into it, in text and in attributes", () => {
    const evil = `"><script>alert('1')</script>&`;
    expect(html`<a title="${evil}">${evil}</a>`.markup).toBe(
      '<a title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</a>',
    );
  });

  test("puts markup in as it is, lists one after the other, and nothing for what is not there", () => {
    const list = [html`<b>1</b>`, 2, null, undefined, false, ["<"]] as const;
    expect(html`<p>${list}</p>`.markup).toBe("<p><b>1</b>2&lt;</p>");
  });

  test("keeps a day and its time in one line", () => {
    expect(codeText("late since 2026-11-22 05:00 UTC: `storehouse status`, 2026-11-23").markup).toBe(
      'late since <span class="nowrap">2026-11-22 05:00</span> UTC: <code>storehouse status</code>, <span class="nowrap">2026-11-23</span>',
    );
  });

  test("takes an object in the form of markup for none", () => {
    expect(() => html`${{ markup: "<script>" }}`.markup).toThrow(TypeError);
  });
});

describe("what mends an incident", () => {
  const context = {
    app: { config: { settings: Settings.parse({}) } },
    visitor: { role: "operator" },
    formToken: () => "t",
    address: "/",
    now: Date.parse("2026-11-22T05:00:00Z"),
  } as unknown as PageContext;
  const incident = (kind: string, subject: string, facts: OpenIncident["facts"] = {}): OpenIncident => ({
    incidentId: "1",
    kind,
    subject,
    account: null,
    summary: "",
    facts,
    openedAt: new Date(0),
  });
  const sums = [
    { dataset: "review", code: "server_error", app: "ios 7", slices: 900, credits: 1_800 },
    { dataset: "review", code: "timeout", app: "ios 8", slices: 1, credits: 2 },
    { dataset: "app_rating", code: "server_error", app: "ios 7", slices: 100, credits: 100 },
  ];
  const shown = (...of: Parameters<typeof incident>) => incidentList(context, [incident(...of)], sums).markup;
  const fieldsOf = (markup: string) =>
    Object.fromEntries(
      [...markup.matchAll(/name="(app|datasets|codes|agreed)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );

  test.each([
    ["slices_failed", "review server_error", { datasets: "review", codes: "server_error", app: "" }, 900, 1_800],
    ["slices_failed", "server_error", { datasets: "", codes: "server_error", app: "" }, 1_000, 1_900],
    ["app_failing", "ios 7", { datasets: "", codes: "", app: "ios 7" }, 1_000, 1_900],
  ] as const)("%s of %s: a retry of all of its slices, however many", (kind, subject, fields, slices, credits) => {
    const markup = shown(kind, subject);
    expect(fieldsOf(markup)).toEqual({ ...fields, agreed: String(credits) });
    expect(markup).toContain(`Retry ${count(slices)} slices · ${count(credits)} credits`);
  });

  test.each([
    ["dataset_stale", { dataset: "review", newest_day: "2026-11-19" }, "dataset=review&amp;days=10"],
    [
      "day_lost",
      { datasets: ["app_rating", "review", "top_chart", "visibility"], days: ["2026-11-20", "2026-11-21"] },
      "dataset=app_rating%2Creview%2Ctop_chart%2Cvisibility&amp;days=9",
    ],
    ["dataset_stale", { dataset: "review", newest_day: "2020-01-01" }, "dataset=review&amp;days=365"],
    ["dataset_stale", { dataset: "review", newest_day: null }, "dataset=review"],
  ])("%s: the grid of all datasets and days among its facts", (kind, facts, query) => {
    expect(shown(kind, "", facts)).toContain(`href="/coverage?${query}"`);
  });
});

describe("the status of a family", () => {
  const days = (dataset: string, change: Partial<CompleteDays> = {}): CompleteDays => ({
    dataset,
    completeTo: day("2026-11-21"),
    places: 4,
    behind: 0,
    incompleteSince: null,
    newestPastGap: null,
    failed: 0,
    ...change,
  });
  const late = new Set<string>();
  const none = new Set<string>();

  test("has nothing due where what was requested has no data", () => {
    const facts = { datasets: ["a", "b"], days: [], late, unrequested: [] };
    expect(familyStatus({ ...facts, requested: new Set(["b"]) })).toMatchObject({
      tone: "calm",
      sentence: "Nothing is due: what was requested has no data, or is no longer in the portfolio.",
    });
  });

  test.each([
    ["is complete", [days("a"), days("b")], late, "good", "Complete to 2026-11-21."],
    [
      "begins with the day that all of it is complete to, and names what is ahead",
      [days("a"), days("b", { completeTo: day("2026-11-19"), behind: 1 })],
      late,
      "warn",
      "Complete to 2026-11-19, a to 2026-11-21; b is behind for 1 of 4 apps and countries.",
    ],
    [
      "names what is late",
      [days("a", { completeTo: day("2026-11-01") })],
      new Set(["a"]),
      "bad",
      "Complete to 2026-11-01; a is late.",
    ],
    [
      "is not green where a day before its newest one is missing",
      [days("a", { completeTo: day("2026-11-07"), newestPastGap: day("2026-11-21") })],
      late,
      "warn",
      "Complete to 2026-11-07; a has a gap before its newest day, 2026-11-21.",
    ],
    [
      "counts what failed",
      [days("a", { failed: 2 })],
      late,
      "warn",
      "Complete to 2026-11-21; 2 failed slices leave gaps.",
    ],
    [
      "has no day where a partition has no answer",
      [days("a", { completeTo: null })],
      late,
      "warn",
      "Not complete on any day yet.",
    ],
    [
      "is complete to no day where a dataset of it has none",
      [days("a"), days("b", { completeTo: null })],
      late,
      "warn",
      "b not complete on any day yet, a to 2026-11-21.",
    ],
    [
      "says since when days are missing where the newest ones are loaded",
      [days("a", { completeTo: null, incompleteSince: day("2026-10-23"), newestPastGap: day("2026-11-21") })],
      late,
      "warn",
      "Incomplete since 2026-10-23 or earlier; a has a gap before its newest day, 2026-11-21.",
    ],
    [
      "names what is incomplete and what has no answer",
      [days("a", { completeTo: null, incompleteSince: day("2026-10-23") }), days("b", { completeTo: null })],
      late,
      "warn",
      "a incomplete since 2026-10-23 or earlier, b not complete on any day yet.",
    ],
    ["has nothing where nothing was requested", [], late, "calm", "Nothing has been requested yet."],
  ] as const)("%s", (_, own, lateOnes, tone, sentence) => {
    expect(
      familyStatus({ datasets: ["a", "b"], days: own, late: lateOnes, unrequested: [], requested: none }),
    ).toMatchObject({
      tone,
      sentence,
    });
  });

  test("names days that no sync requests any more", () => {
    const window = { start: day("2026-09-01"), end: day("2026-09-11") };
    const unrequested = ["a", "c"].map((dataset) => ({ dataset, window, partitions: 1, all: 4 }));
    expect(familyStatus({ datasets: ["a", "b"], days: [days("a")], late, unrequested, requested: none })).toMatchObject(
      {
        tone: "warn",
        sentence:
          "Complete to 2026-11-21; days of a between 2026-09-01 and 2026-09-10, which no sync requests any more: `storehouse gaps` names the backfill that prices them.",
      },
    );
  });

  test("is off where no dataset of it is on", () => {
    expect(familyStatus({ datasets: [], days: [days("a")], late, unrequested: [], requested: none })).toMatchObject({
      tone: "calm",
      sentence: "Off: none of its datasets is on.",
    });
  });
});

test("where the days that no sync requests could not be read in time, the list says so below how far datasets are complete", () => {
  const ranks = { family: "rank", tone: "good", sentence: "Complete to 2026-11-21.", datasets: ["a"] } as const;
  const statuses = [{ ...ranks, completeTo: "2026-11-21" }];
  const unknown = "too large to find days here that no sync will request: run <code>storehouse gaps</code>.";
  expect(trustList(statuses, { knowsUnrequested: false }).markup).toMatch(/Complete to [^]*too large to find days/);
  expect(trustList(statuses, { knowsUnrequested: false }).markup).toContain(unknown);
  expect(trustList(statuses, { knowsUnrequested: true }).markup).not.toContain("too large to find days");
});

test("a reading that takes longer than a page waits has no value, and any other error is thrown", async () => {
  expect(await unlessSlow(Promise.resolve(1))).toBe(1);
  expect(await unlessSlow(Promise.reject(fail("console_slow", { seconds: 5 })))).toBeNull();
  await expect(unlessSlow(Promise.reject(new Error("other")))).rejects.toThrow("other");
});

test("each caller of the gateway has its calls, where their answers came from, and the credits of all its days", () => {
  const use = (caller: string, on: string, counts: readonly [number, number, number, number, number]) => {
    const [hits, joined, requests, charged, saved] = counts;
    return { caller, day: day(on), hits, joined, requests, charged, saved };
  };
  const page = String(
    callersCard(
      [
        use("notebooks", "2026-11-22", [3, 0, 1, 10, 30]),
        use("notebooks", "2026-11-20", [0, 1, 2, 20, 5]),
        use("<b>pricing</b>", "2026-11-21", [1, 0, 0, 0, 3]),
      ],
      [],
    )?.markup,
  );
  const column = (heading: string) => columnOf(page, "Callers of the gateway", heading);
  expect(column("Caller")).toEqual(["notebooks", "&lt;b&gt;pricing&lt;/b&gt;"]);
  expect(column("Calls")).toEqual(["7", "1"]);
  expect(column("Stored")).toEqual(["3", "1"]);
  expect(column("Joined")).toEqual(["1", "0"]);
  expect(column("Sent")).toEqual(["3", "0"]);
  expect(column("Charged")).toEqual(["30", "0"]);
  expect(column("Saved")).toEqual(["35", "3"]);
  expect(column("Since")).toEqual(["2026-11-20", "2026-11-21"]);
  expect(callersCard([], ["notebooks"])?.markup).toContain("No caller made a call in this period.");
  expect(callersCard([], [])).toBeNull();
});

describe("the page about an error", () => {
  const codes = Object.keys(errorCodes) as readonly ErrorCode[];

  test("calls input invalid only where the visitor can correct it", () => {
    expect(codes.filter((code) => kindOf(code).status === 400)).toEqual([
      "bad_day",
      "bad_argument",
      "unknown_dataset",
      "unknown_table",
      "not_in_portfolio",
      "console_bad_input",
    ]);
  });

  test("blames the database for its errors, and the API for its own", () => {
    const isOfDatabase = (code: ErrorCode) => code.startsWith("database_");
    for (const code of codes.filter(isOfDatabase))
      expect(kindOf(code)).toMatchObject({ status: 503, title: expect.stringContaining("database") });
    expect(kindOf("balance_unchecked")).toMatchObject({ status: 503, title: expect.stringContaining("API") });
    expect(kindOf("credits_exhausted")).toMatchObject({ status: 409 });
  });

  test.each<[ErrorCode, number, string]>([
    ["unauthorised", 502, "The API refuses the token"],
    ["forbidden", 502, "The API does not allow this to the account"],
    ["redirected", 502, "The API has another address"],
    ["bad_request", 502, "The API does not do this"],
    ["unknown_shape", 502, "The API's answer cannot be used"],
    ["answer_too_large", 502, "The API's answer cannot be used"],
    ["answer_too_deep", 502, "The API's answer cannot be used"],
    ["unexpected_status", 502, "The API's answer cannot be used"],
    ["too_many_requests", 503, "The API accepts no more requests for now"],
    ["server_error", 503, "The API does not respond as it should"],
    ["api_unavailable", 503, "The API does not respond as it should"],
    ["stopped", 503, "The console is stopping"],
    ["lease_expired", 503, "Interrupted"],
    ["unexpected", 500, "Something went wrong"],
  ])("about %s has a title for what it is", (code, status, title) => {
    expect(kindOf(code)).toEqual({ status, title });
  });
});

test("the share of a row is its share of the total", () => {
  const spend = [
    { name: "a", credits: 30, requests: 1 },
    { name: "b", credits: 10, requests: 1 },
  ];
  const { markup } = spendTable("Dataset", spend, ({ name }) => name);
  expect([...markup.matchAll(/<rect width="(\d+)"/g)].map(([, width]) => width)).toEqual(["75", "25"]);
});

test("the price of the next run says when it was calculated", () => {
  const at = Date.UTC(2026, 10, 29, 2);
  const run = {
    line: "nightly",
    datasets: [],
    at,
    slices: 2,
    requests: 2,
    credits: 6,
    overBudget: { slices: 0, credits: 0 },
  };
  const { markup } = nextRunsCard({ nextRuns: [{ ...run, pricedAt: at - 3 * 3_600_000 }] }, at - 3_600_000);
  expect(markup).toContain("Priced 2026-11-28 23:00 UTC, 2\u00a0h ago.");
});

test.each(
  Object.entries(stateLooks).flatMap(([state, look]) => [
    [state, "light", look] as const,
    [state, "dark", look] as const,
  ]),
)("the sign of a cell that is %s has a contrast of 3 to 1 on a %s page", (_, mode, { fill, ink }) => {
  const [brighter, darker] = [luminance(fill[mode]), luminance(ink[mode])].toSorted((a, b) => b - a);
  expect((Number(brighter) + 0.05) / (Number(darker) + 0.05)).toBeGreaterThanOrEqual(3);
});

/** Relative luminance, as WCAG defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
