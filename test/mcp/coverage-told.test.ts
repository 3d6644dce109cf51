import { describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { tried } from "../support/granted-stage.ts";
import { requestedDays, today } from "../support/ingest-stage.ts";
import { mcpForTests } from "../support/mcp-stage.ts";

const { served, ask, refused, query } = mcpForTests();

describe("a client that reads rows", () => {
  test("reads rows with the coverage of their days", async () => {
    const [first, ...rest] = requestedDays();
    const answer = await query(
      `select date_day, count(*) as ranks from mart.keyword_rank_daily where date_day between '${first}' and '${rest.at(-1)}' group by 1 order by 1`,
    );
    expect(answer.columns).toEqual([
      { name: "date_day", type: "date" },
      { name: "ranks", type: "int8" },
    ]);
    expect(answer.rows.map(([day]) => day)).toEqual([first, ...rest]);
    expect(answer.rows.every(([, ranks]) => typeof ranks === "number" && ranks > 0)).toBe(true);
    expect(answer).toMatchObject({ row_count: 4, is_cut: false, reads: ["mart.keyword_rank_daily"] });
    const ranks = answer.coverage.datasets.find(({ dataset }) => dataset === "keyword_rank");
    expect(ranks).toMatchObject({ is_requested: true, is_complete: true, gaps: [], newest_day: addDays(today, -1) });
    expect(ranks).toMatchObject({ due_day: addDays(today, -1), freshness: { "on time": 2 } });
    expect(answer.coverage).toMatchObject({ from: first, to: rest.at(-1), days_from: "statement" });
  });

  test("is not informed that days are complete where the statement may read others", async () => {
    const [first, ...rest] = requestedDays();
    const { coverage } = await query(`select count(*) from core.fact_keyword_rank where date_day >= '${first}'`);
    expect(coverage).toMatchObject({ is_complete: null, datasets: [{ is_complete: null }], days_from: "statement" });
    expect(coverage.says).toBe(
      `Coverage is for ${first} to ${addDays(today, -1)}, but the statement may read other days: pass from and to for the days that it reads.`,
    );
    expect(await query("select count(*) from core.fact_keyword_rank", { from: first, to: rest.at(-1) })).toMatchObject({
      coverage: { is_complete: true },
    });
    // coverage of some countries says nothing of a statement about all
    const narrowed = { from: first, to: rest.at(-1), countries: ["US"] };
    const all = await query("select count(*) from core.fact_keyword_rank", narrowed);
    expect(all.coverage).toMatchObject({ is_complete: null, datasets: [{ is_complete: null }] });
    expect(all.coverage.says).toMatch(/for the passed apps and countries, but the statement may read others/);
    const one = "select count(*) from mart.keyword_rank_daily where country_code = 'US'";
    expect(await query(one, narrowed)).toMatchObject({ coverage: { is_complete: true } });
  });

  test("is not informed that days are complete of apps that another account has alone", async () => {
    const [first, ...rest] = requestedDays();
    const ranks = `from mart.keyword_rank_daily where date_day between '${first}' and '${rest.at(-1)}'`;
    const countAll = `select count(*) ${ranks}`;
    expect((await query(countAll)).coverage).toMatchObject({ datasets: [{ is_complete: true }] });
    const [own] = await served.stage.query<{ id: string }>(`select min(track_id) as id ${ranks}`);
    const left = await tried(
      served.granted.adminUrl,
      "insert into core.dim_app (store, track_id) values ('ios', '990099')",
      `insert into core.tracked_app (app_key, account, valid_from, is_current, slice_id, fetched_at)
       select app_key, 'acme', '2026-08-01', true, 1, '2026-08-01Z' from core.dim_app where track_id = '990099'`,
      `insert into core.tracked_country (app_key, country_key, account, valid_from, is_current, keyword_count, slice_id, fetched_at)
       select a.app_key, c.country_key, 'acme', '2026-08-01', true, 1, 1, '2026-08-01Z'
       from   core.dim_app as a, core.dim_country as c where a.track_id = '990099' and c.country_code = 'US'`,
    );
    expect(left).not.toEqual(expect.any(String));
    try {
      const { coverage } = await query(countAll);
      expect(coverage).toMatchObject({ is_complete: null, datasets: [{ is_complete: null }] });
      expect(coverage.says).toMatch(/^Coverage is for what the account of API_TOKEN has/);
      const ofOne = await query(`${countAll} and track_id = '${own?.id}'`, { apps: [own?.id] });
      expect(ofOne.coverage).toMatchObject({ datasets: [{ is_complete: true }] });
    } finally {
      await tried(
        served.granted.adminUrl,
        "delete from core.tracked_country where account = 'acme'",
        "delete from core.tracked_app where account = 'acme'",
        "delete from core.dim_app where track_id = '990099'",
      );
    }
  });

  test("is not informed that nothing moved on an earlier day by a mart that has the newest day alone", async () => {
    const [first = ""] = requestedDays();
    const moved = "select keyword from mart.keyword_rank_movers where days_back = 1";
    const newest = { from: addDays(today, -1), to: addDays(today, -1) };
    const ranksOf = ({ coverage }: Awaited<ReturnType<typeof query>>) =>
      coverage.datasets.find(({ dataset }) => dataset === "keyword_rank");
    const earlier = await query(`${moved} and date_day = '${first}'`);
    expect(earlier.rows).toEqual([]);
    expect(ranksOf(earlier)).toMatchObject({ is_complete: null });
    expect(earlier.coverage.says).toContain("mart.keyword_rank_movers has only the newest day of each keyword");
    const relative = await query(`${moved} and date_day < current_date - 3`, newest);
    expect(ranksOf(relative)).toMatchObject({ is_complete: null });
    const now = await query(moved, newest);
    expect(ranksOf(now)).toMatchObject({ is_complete: true });
    expect(now.coverage.says).not.toContain("newest day of each keyword");
  });

  test("is informed that days which were never requested are unknown, not zero", async () => {
    const answer = await query("select count(*) from core.fact_keyword_rank where date_day = '2026-07-01'", {
      to: "2026-07-02",
      from: "2026-07-01",
    });
    expect(answer.rows).toEqual([[0]]);
    const { coverage } = answer;
    expect(coverage).toMatchObject({ is_complete: false, days_from: "arguments" });
    expect(coverage.says).toBe("Days are missing for keyword_rank: a missing row is unknown, not zero.");
    expect(coverage.datasets).toMatchObject([{ dataset: "keyword_rank", is_complete: false }]);
    expect(coverage.datasets[0]?.gaps[0]).toMatchObject({ country: "US", from: "2026-07-01", to: "2026-07-02" });
    expect(await ask("coverage", { datasets: ["keyword_rank"], from: "2026-07-01", to: "2026-07-02" })).toMatchObject({
      datasets: coverage.datasets,
    });
  });

  test("is informed that days are missing which are not published yet, or of which a list was never seen", async () => {
    const yesterday = addDays(today, -1);
    const coverageTo = async (to: string) =>
      (await query("select count(*) from core.fact_keyword_rank", { from: yesterday, to })).coverage;
    expect(await coverageTo(yesterday)).toMatchObject({ is_complete: true, datasets: [{ days_without_cells: null }] });
    expect(await coverageTo(today)).toMatchObject({
      is_complete: false,
      datasets: [{ is_complete: false, days_without_cells: { from: today, to: today } }],
    });
  });

  test.each(["query", "coverage", "price_backfill"])(
    "is refused days of which the first is after the last: %s",
    async (tool) => {
      const days = { from: today, to: addDays(today, -1) };
      const others = tool === "query" ? { sql: "select 1" } : { datasets: ["keyword_rank"] };
      expect(await refused(tool, { ...others, ...days })).toMatch(/^bad_argument: .*is after to/);
    },
  );

  test("is informed of what is late or stopped by the timing of its dataset, also beside complete days", async () => {
    const newest = `dataset = 'keyword_rank' and window_end = date '${today}'`;
    const changed = (set: string, where: string) =>
      served.stage.query(`update ops.slice set ${set} where ${where} returning slice_id`);
    const old = () => query("select count(*) from core.fact_keyword_rank", { from: "2026-01-01", to: "2026-01-02" });
    expect((await old()).coverage.says).not.toMatch(/late|stopped/);
    try {
      expect(await changed("state = 'failed'", newest)).not.toEqual([]);
      expect((await old()).coverage.says).toMatch(
        new RegExp(
          `keyword_rank is late for 2 apps and countries: its newest day is ${addDays(today, -2)}, and the due day is ${addDays(today, -1)}\\.$`,
        ),
      );
      expect(
        (await query("select distinct freshness_state from mart.data_freshness where dataset = 'keyword_rank'")).rows,
      ).toEqual([["late"]]);
      const elsewhere = await query("select count(*) from core.fact_keyword_rank", { countries: ["US"] });
      expect(elsewhere.coverage.datasets[0]).toMatchObject({ freshness: { late: 2 } });
    } finally {
      await changed("state = 'loaded'", newest);
    }
  });

  test("is informed that days are complete by a mart that reads datasets which are off only to know the apps", async () => {
    const [first, ...rest] = requestedDays();
    const { coverage } = await query(
      `select count(*) from mart.keyword_group_daily where date_day between '${first}' and '${rest.at(-1)}'`,
    );
    expect(coverage).toMatchObject({ is_complete: true, datasets: [{ dataset: "keyword_rank", is_complete: true }] });
    expect(coverage.says).toBe("Every cell of these days has its answer: a missing row means that there is none.");
  });

  test("is not informed that a row is none where rows are left out of complete days", async () => {
    const [first, ...rest] = requestedDays();
    const ranks = `select date_day from mart.keyword_rank_daily where date_day between '${first}' and '${rest.at(-1)}'`;
    const leftOut =
      "Every cell of these days has its answer, but not every row is shown: a missing row may have been left out.";
    const limited = await query(`${ranks} limit 2`);
    expect(limited).toMatchObject({ is_cut: false, coverage: { is_complete: true, says: leftOut } });
    const cut = await query(ranks, { rows: 2 });
    expect(cut).toMatchObject({ is_cut: true, coverage: { is_complete: true, says: leftOut } });
  });

  test("is informed that days are complete by a mart that takes what a dataset that is off knows of every day, newest first", async () => {
    const [first, ...rest] = requestedDays();
    const { coverage } = await query(
      `select count(*) from mart.weighted_share_of_voice_daily where date_day between '${first}' and '${rest.at(-1)}'`,
    );
    expect(coverage).toMatchObject({ is_complete: true });
    expect((await query("select count(*) from core.fact_keyword_metadata")).coverage.says).toMatch(
      /^Nothing is requested for keyword_metadata/,
    );
  });

  test("is informed that a dataset that is off is unknown, not none", async () => {
    const { coverage } = await query("select count(*) from core.review");
    expect(coverage.datasets).toMatchObject([{ dataset: "review", is_requested: false, cells: null }]);
    expect(coverage.says).toMatch(/^Nothing is requested for review: .* unknown, not zero\.$/);
  });
});
