import { beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { openStage } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { forTests } from "../support/for-tests.ts";

describe("storehouse replay and prune", () => {
  const stage = forTests(() => openStage({ market: { apps: 1 } }));
  let otherBody: Buffer;

  beforeAll(async () => {
    await stage.sync();
    stage.sandbox.clearLog();
  });

  /** Runs a command that knows neither token nor address. */
  async function run(...command: readonly string[]) {
    return runCommand(stage, command, { variables: { API_TOKEN: "", API_BASE_URL: "" } });
  }

  test("rebuild without access to the API, and print a line a dataset", async () => {
    const before = await factsOf(stage, []);
    await stage.query("update core.fact_keyword_rank set rank = 999");
    const { code, stdout } = await run("replay", "--dataset", "keyword_rank,tracked_app");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^dataset +slices +rows +incomplete or invalid +kept without answer\n/);
    expect(stdout).toMatch(/\nkeyword_rank +\d+ +\d+ +0 +0\n/);
    expect(await factsOf(stage, [])).toEqual(before);
    expect(stage.sandbox.log()).toEqual([]);
  });

  test("leave datasets without a stored answer out of the table", async () => {
    const { stdout } = await run("replay");
    expect(stdout).toMatch(/\nkeyword_rank /);
    expect(stdout).not.toMatch(/\n\w+ +0 +0 +0 +0(\n|$)/);
  });

  test.each([
    [["replay", "--dataset", "ranks"], "no dataset is named ranks"],
    [["replay", "--from", "2026-08-19", "--to", "2026-08-18"], "--from is after --to"],
    [["prune", "--keep-days", "-1"], "not a number of days"],
    [["prune", "--keep-days", "0"], "add --yes, or --dry-run"],
  ])("refuse %j and change nothing", async (command, problem) => {
    const before = await factsOf(stage, []);
    expect(await run(...command)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(problem) });
    expect(await factsOf(stage, [])).toEqual(before);
  });

  test("do not advise to import answers for slices that are folded, since that cannot help", async () => {
    const fold = `insert into ops.folded_month (dataset, month_start, state, slice_count, rows_loaded, checked_at)
                  values ('keyword_rank', '2026-05-01', 'loaded', 29, 100, now())`;
    await stage.query(fold);
    const { code, stderr } = await run("replay", "--dataset", "keyword_rank");
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^answers_folded: 29 loaded slices of keyword_rank with days from 2026-05-01 to 2026-05-31 no longer .* 29 of them are folded .*--keep-pruned/,
    );
    expect(stderr).not.toContain("raw import");
    expect(await run("replay", "--dataset", "keyword_rank", "--from", "2026-06-01")).toMatchObject({ code: 0 });
    await stage.query("delete from ops.folded_month");
  });

  test("say how many answers were pruned, of which days, and what to do", async () => {
    const before = await factsOf(stage, []);
    await stage.query("update raw.answer set fetched_at = '2020-01-01Z' where operation = 'ios.keyword-ranking'");
    const [body] = await stage.query<{ body: Buffer }>(
      "select body from raw.answer where operation = 'dashboard.apps'",
    );
    otherBody = body?.body ?? Buffer.of();
    await stage.query("update raw.answer set fetched_at = '2020-01-01Z' where operation = 'dashboard.apps'");
    const look = await run("prune", "--keep-days", "100", "--dry-run");
    expect(look.stdout).toMatch(/\nkeyword_rank +2026-08-16 +2026-08-19 +\d+ +[\d,]+\n.*\n?.*nothing was\.\n$/);
    const answers = await stage.query("select from raw.answer");
    expect((await run("prune", "--keep-days", "100")).stdout).toMatch(
      /^\d+ answers deleted, [\d,]+ bytes\.\nThese days can no longer be replayed: keyword_rank 2026-08-16 to 2026-08-19; tracked_app 2026-08-20\.\n$/,
    );
    const gone = answers.length - (await stage.query("select from raw.answer")).length;
    expect(look.stdout).toContain(` ${gone - 1} `);
    expect(await run("prune", "--keep-days", "100")).toMatchObject({
      stdout: "No answer is that old: nothing to delete.\n",
    });
    const all = await run("replay");
    expect(all.code).toBe(2);
    expect(all.stderr).toMatch(/ loaded slices of tracked_app, keyword_rank with days from 2026-08-16 to 2026-08-20 /);
    const refused = await run("replay", "--dataset", "keyword_rank");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /^answer_pruned: \d+ loaded slices of keyword_rank with days from 2026-08-16 to 2026-08-19 no longer have a stored answer: .*--keep-pruned\n$/,
    );
    expect(await run("replay", "--keep-pruned")).toMatchObject({ code: 0 });
    expect(await factsOf(stage, [])).toEqual(before);
  });

  test("end with 1 when a stored answer does not fit, and name the place to check", async () => {
    await stage.query("update raw.answer set body = $1 where operation = 'ios.keyword-history'", [otherBody]);
    const { code, stderr } = await run("replay", "--dataset", "keyword_rank", "--keep-pruned");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("their slices are failed") });
    expect((await run("status")).stdout).toMatch(/keyword_rank +failed +\d+ +unknown_shape: /);
  });
});
