import { describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { charged, openWithPortfolio, plan, planned, runPlanned, progressOf } from "../support/backfill-stage.ts";
import { today, type Stage } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { calmRun } from "../support/ingest-witness.ts";
import { forTests } from "../support/for-tests.ts";

/** The first day of each request in the log, in the order in which they came. */
function daysRequested(stage: Stage): readonly unknown[] {
  return stage.requested().map(({ params }) => params["date"] ?? params["startDate"]);
}

/** Slices that belong to any plan. */
async function openSlices(stage: Stage): Promise<number> {
  const rows = await stage.query<{ count: number }>(
    "select count(*)::int as count from ops.slice where plan_id is not null",
  );
  return rows[0]?.count ?? 0;
}

/** Apps of both stores. */
const some = { market: { apps: 2, keywordsPerApp: 4 } } as const;

describe("a plan", () => {
  /** For what a plan is before it is run, and the run of it. */
  const shared = forTests(() => openWithPortfolio(some));

  test("spends nothing and queues nothing until it is run", async () => {
    const stage = shared;
    const made = await planned(stage);
    expect(made).toMatchObject({ asOf: today, queuedAt: null, leftOut: { slices: 0 } });
    expect(made.credits).toBeGreaterThan(0);
    expect(stage.requested()).toEqual([]);
    expect(await openSlices(stage)).toBe(0);
    // and is the same whenever it is planned from the same
    expect((await planned(stage)).digest).toBe(made.digest);
    expect((await planned(stage, { countries: ["US"] })).digest).not.toBe(made.digest);
  });

  test("is run exactly: its requests and its credits, no more and no fewer", async () => {
    const stage = shared;
    const made = await planned(stage);
    const shown: { credits: number; open: number }[] = [];
    const progress = (one: { credits: number; open: number }) => void shown.push(one);
    expect(await runPlanned(stage, made.planId, { progress })).toMatchObject({
      outcome: "loaded",
      progress: { credits: made.credits },
    });
    // what stays on the screen is what it cost, however short it was
    expect(shown.at(-1)).toMatchObject({ open: 0, credits: made.credits });
    expect(stage.requested()).toHaveLength(made.requests);
    expect(charged(stage)).toBe(made.credits);
    expect(await progressOf(stage, made.planId)).toMatchObject({ total: made.slices, open: 0, credits: made.credits });
    expect(await factsOf(stage)).toEqual((await calmRun(some)).facts);
    stage.sandbox.clearLog();
    expect(await runPlanned(stage, made.planId)).toMatchObject({
      outcome: "loaded",
      progress: { total: 0, credits: 0 },
    });
    expect(stage.requested()).toEqual([]);
  });

  test("is cut down to apps and countries", async () => {
    await using stage = await openWithPortfolio(some);
    const { app, country } = (await planned(stage)).lines[0]!;
    const { planId, lines } = await planned(stage, { apps: [app], countries: [country.toLowerCase()] });
    expect(lines.every((line) => line.app === app && line.country === country)).toBe(true);
    await runPlanned(stage, planId);
    const requested = stage.requested().map(({ params }) => [params["trackId"], params["countryCode"]].join(" "));
    expect(new Set(requested)).toEqual(new Set([`${app} ${country}`]));
  });

  test("of several datasets holds them and nothing that they are planned from", async () => {
    await using stage = await openWithPortfolio(some);
    const made = await planned(stage, { datasets: ["keyword_metadata", "keyword_rank"], countries: ["US"] });
    expect(new Set(made.lines.map(({ dataset }) => dataset))).toEqual(new Set(["keyword_metadata", "keyword_rank"]));
    await runPlanned(stage, made.planId);
    expect(stage.requested().filter(({ operation }) => operation?.startsWith("dashboard."))).toEqual([]);
    expect(charged(stage)).toBe(made.credits);
  });

  test("names the unavailable days, and leaves them out", async () => {
    await using stage = await openWithPortfolio(some);
    const { plan: made, notes } = await plan(stage, {
      datasets: ["keyword_rank", "keyword_metadata"],
      bounds: { start: addDays(today, -2), end: addDays(today, 1) },
    });
    expect(notes).toEqual(
      [
        `keyword_metadata only has today's state: the days before ${today} are not available.`,
        `keyword_rank is not published yet for ${today}: the plan goes up to ${addDays(today, -1)}.`,
      ].toSorted((a, b) => notes.indexOf(a) - notes.indexOf(b)),
    );
    await runPlanned(stage, made?.planId ?? "");
    expect(daysRequested(stage)).not.toContain(today);
    const past = await plan(stage, { bounds: { end: addDays(today, -5) }, datasets: ["keyword_metadata"] });
    expect(past).toMatchObject({ plan: null, notes: [expect.stringContaining("not available")] });
    const old = await plan(stage, {
      bounds: { start: "2001-01-01" as typeof today, end: "2008-07-11" as typeof today },
    });
    expect(old.notes[0]).toContain("2008-07-10");
    expect(old.plan?.request.bounds.start).toBe("2008-07-10");
  });
});

describe("a request that does not fit the portfolio", () => {
  const stage = forTests(openWithPortfolio);

  test.each([
    ["an app that is not in the portfolio", { apps: ["999"] }, { code: "not_in_portfolio" }],
    ["a country that is not in the portfolio", { countries: ["FR"] }, { code: "not_in_portfolio" }],
    ["a dataset that does not exist", { datasets: ["weather"] }, { code: "unknown_dataset" }],
    ["a dataset that reads the portfolio", { datasets: ["tracked_app"] }, { code: "bad_argument" }],
  ])("is refused: %s", async (_, requested, error) => {
    await expect(plan(stage, requested)).rejects.toMatchObject(error);
    expect(await stage.query("select from ops.plan")).toEqual([]);
  });

  test("names the app that a misspelt one was most likely to be: of many only some are listed", async () => {
    const [app = ""] = (await planned(stage)).lines.map((line) => line.app);
    const id = app.replace(/^\w+:/, "");
    await expect(plan(stage, { apps: [`${id}0`] })).rejects.toThrow(`, did you mean ${id}?; name one of these`);
  });

  test("is refused: an app for a dataset that does not distinguish apps", async () => {
    const { app } = (await planned(stage)).lines[0]!;
    const requested = { apps: [app], datasets: ["keyword_metadata"] };
    await expect(plan(stage, requested)).rejects.toMatchObject({ code: "bad_argument" });
  });

  test("is refused: a country that the configuration leaves out of the dataset", async () => {
    const settings = { datasets: { keyword_rank: { countries: ["US"] } } };
    await expect(plan(stage, { countries: ["JP"] }, { settings })).rejects.toMatchObject({ code: "bad_argument" });
    const { plan: made } = await plan(stage, {}, { settings });
    expect(new Set(made?.lines.map(({ country }) => country))).toEqual(new Set(["US"]));
  });
});
