import { expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { forTests } from "../support/for-tests.ts";
import type { ChildOptions } from "../support/ingest-child.ts";
import { openStage, today, until, type Stage } from "../support/ingest-stage.ts";
import { openOwnTerminal } from "../support/own-terminal.ts";
import { openSynced } from "../support/synced-stage.ts";

const settings = { retention: { keep_months: 1 } } as const;

const openWithRanks = () =>
  openSynced(
    { market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } },
    { request: { datasets: ["keyword_rank"] } },
  );

async function run(stage: Stage, command: readonly string[], given: ChildOptions = { settings }) {
  return runCommand(stage, command, given);
}

test("storehouse retention shows what it would remove, requires a confirmation, removes it, and a backfill of kept months no longer says so", async () => {
  await using stage = await openWithRanks();
  const all = await run(stage, ["retention", "--dry-run"], {});
  expect(all).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^All facts are kept\. To drop older months, set retention\.keep_months /),
  });
  const look = await run(stage, ["retention", "--dry-run", "--json"]);
  expect(JSON.parse(look.stdout)).toMatchObject({
    action: "drop",
    months: [{ table: "core.fact_keyword_rank", month: "2026-08-01", datasets: ["keyword_rank"] }],
  });
  const requested = await run(stage, ["retention"]);
  expect(requested).toMatchObject({ code: 2, stderr: expect.stringMatching(/^not_confirmed: /) });
  expect(await stage.query("select 1 from core.fact_keyword_rank limit 1")).toHaveLength(1);
  const [failed] = await stage.query<{ slice_id: string }>(
    "update ops.slice set state = 'failed' where slice_id = (select min(slice_id) from ops.slice where dataset = 'keyword_rank') returning slice_id",
  );
  const done = await run(stage, ["retention", "--yes"]);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 month dropped, \d+ rows\.\n$/) });
  expect(await stage.query("select 1 from core.fact_keyword_rank limit 1")).toHaveLength(0);
  const shown = await run(stage, ["show", failed?.slice_id ?? ""]);
  expect(shown.stdout).toMatch(/^error +not_kept: (?!not_kept)/m);
  const older = ["backfill", "--dry-run", "--dataset", "keyword_rank", "--from", "2026-01-01", "--to", "2026-02-01"];
  const plan = await run(stage, [...older, "--as-of", today]);
  expect(plan.stdout + plan.stderr).toContain(
    "keyword_rank is kept from 2026-07-01 on (keep_months in config/storehouse.yaml)",
  );
  expect(await stage.query("select 1 from ops.plan")).toEqual([]);
});

test.each([
  [["retention"], "Drop 1 month for good? (y/N)", "Nothing was changed."],
  [["prune", "--keep-days", "0"], " for good? (y/N)", "Nothing was deleted."],
] as const)("%j ends as interrupted by Ctrl-C at its question, and as not confirmed by no", async (...given) => {
  const [command, question, said] = given;
  await using stage = await openWithRanks();
  for (const [typed, code] of [
    ["\u0003", 130],
    ["n\r", 2],
  ] as const) {
    await using terminal = openOwnTerminal(stage, command, { settings });
    await until(() => terminal.output().includes(question));
    terminal.type(typed);
    expect([await terminal.ended, terminal.output()]).toEqual([code, expect.stringContaining(said)]);
  }
});

const emptyStage = forTests(() => openStage({ market: { apps: 1 } }));

test.each([
  [
    { datasets: { keyword_rank: { keep_months: 1, history_days: 40 } } },
    "datasets.keyword_rank.history_days cannot be used",
  ],
  [
    { retention: { keep_months: 2 }, datasets: { keyword_rank: { history_days: 90 } } },
    "datasets.keyword_rank.history_days conflicts with retention.keep_months",
  ],
  [
    { retention: { keep_months: 1 }, datasets: { keyword_metadata: { refresh_days: 40 } } },
    "datasets.keyword_metadata.refresh_days conflicts with retention.keep_months",
  ],
  [{ datasets: { app_match: { keep_months: 1 } } }, "datasets.app_match.keep_months cannot be used"],
  [{ retention: { keep_months: 0 } }, "retention.keep_months"],
] as const)("settings that do not fit together are refused by their line: %j", async (wrong, reported) => {
  const { code, stderr } = await run(emptyStage, ["retention", "--dry-run"], { settings: wrong });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^bad_config: .* line 1: /);
  expect(stderr).toContain(reported);
});
