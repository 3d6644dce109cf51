import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { crashPoints } from "../../src/ingest/crash-point.ts";
import { runCommand } from "../support/command.ts";
import { syncCommand } from "../support/ingest-child.ts";
import { openStage, until, type Stage } from "../support/ingest-stage.ts";
import { calmRun, expectCalm, torn, type Calm } from "../support/ingest-witness.ts";
import { long, seed } from "../support/long.ts";
import { ownPostgres, type OwnPostgres } from "../support/own-postgres.ts";

/** An iOS and an Android app in a country: calls enough for what happens in their middle. */
const market = { apps: 2, countries: ["US"] };
const concurrency = 2;
/** Waits long enough for a server that restarts. */
const settings = { api: { concurrency, retry_seconds: 0.3 } };

let calm: Calm;
let server: OwnPostgres;

beforeAll(async () => {
  calm = await calmRun({ market });
  server = await ownPostgres();
});

afterAll(() => server[Symbol.asyncDispose]());

/** Runs a sync while a fault befalls the database, and once more when it said that it could not go on; returns how the last one ended. */
async function syncThrough(stage: Stage, fault: (over: () => boolean) => Promise<void>) {
  let isOver = false;
  const running = runCommand(stage, syncCommand, { settings }).finally(() => (isOver = true));
  await fault(() => isOver);
  const { code, stdout, stderr } = await running;
  expect(await torn(stage)).toEqual([]);
  if (code === 0) return code;
  // it says what is wrong and what to do, and shows nothing of the address
  expect(code).toBe(2);
  expect(stdout + stderr).toMatch(/database_unreachable: Postgres does not respond/);
  expect(stdout + stderr).not.toContain(new URL(stage.databaseUrl).password);
  return (await runCommand(stage, syncCommand, { settings })).code;
}

/** Ends sessions of Storehouse: a share of them, or all. */
async function dropConnections(stage: Stage, share = 1): Promise<void> {
  await stage.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where  application_name like 'storehouse %' and application_name <> 'storehouse tests' and datname = current_database() and random() <= $1`,
    [share],
  );
}

// the harder one, without a word to its clients
test.each(long ? (["fast", "immediate"] as const) : (["immediate"] as const))(
  "ends as if undisturbed when Postgres is restarted (%s) in the middle",
  async (mode) => {
    await using stage = await openStage({ market, database: await server.migrated(), latencyMs: 5 });
    const [after = 1] = fc.sample(fc.integer({ min: 1, max: calm.callTexts.length - 8 }), { seed, numRuns: 1 });
    const ended = await syncThrough(stage, async (over) => {
      await until(() => over() || stage.requested().length >= after);
      await server.restart(mode);
    });
    expect(ended).toBe(0);
    await expectCalm(stage, calm, concurrency);
  },
);

const drop = fc.record({ after: fc.integer({ min: 1, max: 12 }), share: fc.constantFrom(0.3, 1) });

// every day they break at each place in the story of a slice
test.runIf(long)("ends as if undisturbed when Postgres drops connections at random, again and again", async () => {
  await using stage = await openStage({ market, latencyMs: 5 });
  const drops = fc.sample(drop, { seed, numRuns: 12 });
  let isOver = false;
  // it goes on, or ends with a word about the database
  const running = stage
    .sync({ settings })
    .catch((error: unknown) => error)
    .finally(() => (isOver = true));
  for (const { after, share } of drops) {
    const from = stage.requested().length;
    await until(() => isOver || stage.requested().length >= from + after);
    await dropConnections(stage, share);
  }
  const ended = await running;
  if (ended instanceof Error) expect(ended).toMatchObject({ code: "database_unreachable" });
  expect(await torn(stage)).toEqual([]);
  expect(await stage.sync({ settings })).toMatchObject({ outcome: "loaded" });
  await expectCalm(stage, calm, drops.length * concurrency);
});

test("requests nothing again when every connection breaks, once at each place in the story of a slice", async () => {
  await using stage = await openStage({ market });
  const places = new Set<string>(crashPoints);
  let calls = 0;
  const at = async (here: string) => {
    // some slices after the break before
    if (++calls < 9 || !places.delete(here)) return;
    calls = 0;
    await dropConnections(stage);
  };
  // it goes on, or ends because the queue could not write down what became of a job
  for (let runs = 0; places.size > 0 && runs < crashPoints.length; runs += 1) {
    const ended = await stage.sync({ settings, crashPoint: at }).catch((error: unknown) => error);
    if (ended instanceof Error) expect(ended).toMatchObject({ code: "database_unreachable" });
  }
  expect([...places]).toEqual([]);
  expect(await stage.sync()).toMatchObject({ outcome: "loaded" });
  await expectCalm(stage, calm, 0);
});
