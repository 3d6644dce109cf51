import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { runCommand, type Ended } from "../support/command.ts";
import { syncCommand, type Behind } from "../support/ingest-child.ts";
import { mishaps, openWire, type Wire } from "../support/cut-wire.ts";
import { openStage, until, type Stage } from "../support/ingest-stage.ts";
import { calmRun, expectCalm, torn, type Calm } from "../support/ingest-witness.ts";
import { long, seed } from "../support/long.ts";

/** An iOS and an Android app, in the long run in two countries: calls enough for what happens in their middle. */
const market = { apps: 2, ...(!long && { countries: ["US"] }) };
const concurrency = 2;
/** Short patience, with the API and with Postgres; long enough for a machine that is busy. */
const settings = {
  api: { concurrency, timeout_seconds: 2, retry_seconds: 0.03 },
  database: { timeout_seconds: 2 },
};

const rounds = long ? 3 : 1;

let calm: Calm;

beforeAll(async () => {
  calm = await calmRun({ market });
});

/** The same address, through a wire. */
function through(wire: Wire, address: string): string {
  const url = new URL(address);
  url.port = String(wire.port);
  return url.href.replace(/\/$/, "");
}

/** How a sync ended, or the next one when it said that it could not go on. */
async function endOf(stage: Stage, behind: Behind, running: Promise<Ended>) {
  const { code, stderr } = await running;
  expect(await torn(stage)).toEqual([]);
  if (code === 0) return code;
  expect(stderr).toMatch(/database_unreachable/);
  return (await runCommand(behind, syncCommand, { settings })).code;
}

// a silent wire is the hardest: nothing says that it is away, and sessions of Postgres live on behind it; breaks that are noticed are played every day
// with answers that are cut, sessions that are ended and a server that restarts
test.each(long ? mishaps : (["stall"] as const))(
  "a wire that is %s on the way to the API costs at most what was on its way, and then on the way to Postgres as well",
  async (mishap) => {
    await using stage = await openStage({ market, latencyMs: 5 });
    await using toApi = await openWire(Number(new URL(stage.sandbox.url).port));
    await using toPostgres = await openWire(Number(new URL(stage.databaseUrl).port));
    const behind = {
      databaseUrl: through(toPostgres, stage.databaseUrl),
      sandbox: { url: through(toApi, stage.sandbox.url), token: stage.sandbox.token },
    };
    let isOver = false;
    const running = runCommand(behind, syncCommand, { settings }).finally(() => (isOver = true));
    const requests = async (more: number) => {
      const from = stage.requested().length;
      await until(() => isOver || stage.requested().length >= from + more);
    };
    const afters = fc.sample(fc.integer({ min: 4, max: 8 }), { seed, numRuns: rounds });
    for (const after of afters) {
      await requests(after);
      toApi[mishap]();
    }
    // those on their way again, and more: the sync has gone on
    await requests(concurrency + 2);
    expect(isOver).toBe(false);
    for (const after of afters) {
      toPostgres[mishap]();
      await requests(after);
    }
    expect(await endOf(stage, behind, running)).toBe(0);
    await expectCalm(stage, calm, 2 * rounds * concurrency);
  },
);
