import { expect, test, vi } from "vitest";
import { startDoomed } from "../support/ingest-child.ts";
import { openStage, until, type Stage } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";

// processes start and stop here: a busy machine takes its time
vi.setConfig({ testTimeout: 120_000 });

const settings = { api: { concurrency: 2 } };

/** One slice in the middle of the work, as parts of its text. */
async function oneSlice(stage: Stage): Promise<readonly string[]> {
  const [row] = await stage.query<{ scope: object; day: string }>(
    `select scope, window_start::text as day from ops.slice where dataset = 'keyword_rank'
     order  by turn, slice_id offset 5 limit 1`,
  );
  return [JSON.stringify(row?.scope), `"window":{"start":"${row?.day}"`];
}

test("a slice that ends its process each time has failed after the third, with what to do, and all others are loaded", async () => {
  await using calm = await openStage();
  await calm.sync();
  const variables = { TEST_POISON: JSON.stringify(await oneSlice(calm)) };
  await using stage = await openStage();
  const hasEnded = async () => {
    const { pending = 0, running = 0, failed = 0 } = await statesOf(stage);
    return failed > 0 && pending + running === 0;
  };
  const ends: unknown[] = [];
  while (ends.length < 10 && ends.at(-1) !== 0) {
    await using child = startDoomed(stage, "worker", { place: "after answer", settings, variables });
    await Promise.race([until(hasEnded), child.ended]);
    if (await hasEnded()) child.process.kill("SIGTERM");
    ends.push(await child.ended);
  }
  expect(ends).toEqual(["SIGKILL", "SIGKILL", "SIGKILL", 0]);
  const failed = await stage.query<{ code: string; message: string }>(
    `select error_code as code, error_message as message, broken_off_count as ends, failures
     from   ops.slice where state not in ('loaded')`,
  );
  expect(failed).toMatchObject([{ code: "process_died", ends: 3, failures: 0 }]);
  expect(failed[0]?.message).toMatch(/give the worker more memory.*storehouse retry --code process_died/);
  // once that is mended it has its attempts again
  expect(await stage.retry()).toMatchObject({ outcome: "loaded" });
  expect(await factsOf(stage)).toEqual(await factsOf(calm));
});
