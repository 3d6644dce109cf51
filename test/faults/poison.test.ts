import { expect, test } from "vitest";
import { usualIntervals } from "../../src/runs/heartbeat.ts";
import { startDoomed } from "../support/ingest-child.ts";
import { openStage, until, type Stage } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { long } from "../support/long.ts";
import { must } from "../support/must.ts";

/** One call at a time, so that a slice is soon alone when its process ends. */
const settings = { api: { concurrency: 1 } };
const market = { apps: 2, countries: ["US"], keywordsPerApp: 6 };

/** One slice in the middle of the work. */
async function oneSlice(stage: Stage): Promise<{ scope: object; day: string }> {
  const rows = await stage.query<{ scope: object; day: string }>(
    `select scope, window_start::text as day from ops.slice where dataset = 'keyword_rank'
     order  by turn, slice_id offset 5 limit 1`,
  );
  return must(rows[0]);
}

/** Deaths alone that the ledger has of the slice when the first process has died; each one is counted in a test of the ledger every day. */
const deathsBefore = long ? 0 : 2;

/** The usual intervals, without ten seconds between beats and ten minutes of a wait. */
const intervals = { ...usualIntervals, beatMs: 1_000, decidingWaitMs: 100 };

test("a slice that ends its process each time fails once it did so alone three times, with what to do, and all others are loaded", async () => {
  await using calm = await openStage({ market });
  await calm.sync();
  const { scope, day } = await oneSlice(calm);
  const poison = [JSON.stringify(scope), `"window":{"start":"${day}"`];
  const variables = { TEST_POISON: JSON.stringify(poison), TEST_INTERVALS: JSON.stringify(intervals) };
  await using stage = await openStage({ market });
  const { loaded: all = 0 } = await statesOf(calm);
  // between two rounds none is open for a moment
  const hasEnded = async () => {
    const { loaded = 0, failed = 0 } = await statesOf(stage);
    return failed > 0 && loaded + failed >= all;
  };
  const ends: unknown[] = [];
  while (ends.length < 10 && ends.at(-1) !== 0) {
    await using child = startDoomed(stage, "worker", { place: "after answer", settings, variables });
    await Promise.race([until(hasEnded), child.ended]);
    if (await hasEnded()) child.process.kill("SIGTERM");
    ends.push(await child.ended);
    const earlier =
      "update ops.slice set broken_off_count = $1, broken_off_alone_count = $1 where scope = $2 and window_start = $3";
    if (ends.length === 1) await stage.query(earlier, [deathsBefore, scope, day]);
  }
  // the first deaths may have been beside others
  expect(ends.join(" ")).toMatch(long ? /^(SIGKILL ){3,5}0$/ : /^(SIGKILL ){1,3}0$/);
  const failed = await stage.query<{ code: string; message: string }>(
    `select error_code as code, error_message as message, broken_off_alone_count as ends, failures
     from   ops.slice where state not in ('loaded')`,
  );
  expect(failed).toMatchObject([{ code: "process_died", ends: 3, failures: 0 }]);
  expect(failed[0]?.message).toMatch(/give the worker more memory.*storehouse retry --code process_died/);
  // once that is mended it has its attempts again
  expect(await stage.retry()).toMatchObject({ outcome: "loaded" });
  expect(await factsOf(stage)).toEqual(await factsOf(calm));
});

const ranksIn = async (stage: Stage) => (await stage.query("select from core.fact_keyword_rank")).length;

// one of two workers is killed every day while both plan a night
test.runIf(long)("many kills of workers fail no slice: each ends loaded, also what ran when they died", async () => {
  const history = {
    api: { concurrency: 2 },
    datasets: { keyword_rank: { history_days: 30, longest_window: 1 } },
  };
  await using calm = await openStage({ market });
  await calm.sync({ settings: history });
  await using stage = await openStage({ market });
  const variables = { TEST_INTERVALS: JSON.stringify(intervals) };
  // after how many answers each dies: early and late ones, two workers at a time
  const answers = [3, 1, 2, 1, 4, 2, 5, 1, 3, 2, 1, 4, 2];
  for (const times of answers) {
    const pair = [times, times + 1].map((one) =>
      startDoomed(stage, "worker", { place: "after answer", times: one, settings: history, variables }),
    );
    expect(await Promise.all(pair.map(({ ended }) => ended))).toEqual(["SIGKILL", "SIGKILL"]);
    for (const child of pair) await child[Symbol.asyncDispose]();
  }
  expect((await stage.query("select from ops.slice where broken_off_count > 0")).length).toBeGreaterThan(1);
  const isLoaded = async () =>
    Object.keys(await statesOf(stage)).join() === "loaded" && (await ranksIn(stage)) === (await ranksIn(calm));
  await using worker = startDoomed(stage, "worker", { settings: history, variables });
  await until(isLoaded);
  worker.process.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
  expect(Object.keys(await statesOf(stage))).toEqual(["loaded"]);
  expect(await factsOf(stage)).toEqual(await factsOf(calm));
});
