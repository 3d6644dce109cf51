import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { startChild, syncCommand, type Behind, type Child } from "../support/ingest-child.ts";
import { mishaps, openWire, type Wire } from "../support/cut-wire.ts";
import { openStage, until, type Stage } from "../support/ingest-stage.ts";
import { calmRun, expectCalm, torn, type Calm } from "../support/ingest-witness.ts";
import { long, seed } from "../support/long.ts";

/** An iOS and an Android app in two countries: calls enough for what happens in their middle. */
const market = { apps: 2 };
const concurrency = 2;
/** Short patience, with the API and with Postgres; long enough for a machine that is busy. */
const settings = {
  api: { concurrency, timeout_seconds: 2, retry_seconds: 0.03 },
  database: { timeout_seconds: 2 },
};

const mishapsARun = long ? 3 : 1;

let calm: Calm;

beforeAll(async () => {
  calm = await calmRun({ market });
});

/** Lets the mishap befall the wire after some requests, several times when there is time. */
async function befall(stage: Stage, child: Child, mishap: () => void): Promise<void> {
  for (const after of fc.sample(fc.integer({ min: 6, max: 22 }), { seed, numRuns: mishapsARun })) {
    const from = stage.asked().length;
    await until(() => child.process.exitCode !== null || stage.asked().length >= from + after);
    mishap();
  }
}

/** The same address, through a wire. */
function through(wire: Wire, address: string): string {
  const url = new URL(address);
  url.port = String(wire.port);
  return url.href.replace(/\/$/, "");
}

/** How a sync ended, or the next one when it said that it could not go on. */
async function endOf(stage: Stage, behind: Behind, child: Child) {
  const code = await child.ended;
  expect(await torn(stage)).toEqual([]);
  if (code === 0) return code;
  expect(child.output().stderr).toMatch(/database_unreachable/);
  await using next = startChild(behind, syncCommand, { settings });
  return await next.ended;
}

describe.each(mishaps)("a wire that is %s", (mishap) => {
  test("on the way to the API costs at most what was on its way", async () => {
    await using stage = await openStage({ market, latencyMs: 5 });
    await using wire = await openWire(Number(new URL(stage.sandbox.url).port));
    const api = { url: through(wire, stage.sandbox.url), token: stage.sandbox.token };
    await using child = startChild({ databaseUrl: stage.databaseUrl, sandbox: api }, syncCommand, { settings });
    await befall(stage, child, wire[mishap]);
    expect(await child.ended).toBe(0);
    await expectCalm(stage, calm, mishapsARun * concurrency);
  });

  test("on the way to Postgres ends as if nothing had happened", async () => {
    await using stage = await openStage({ market, latencyMs: 5 });
    await using wire = await openWire(Number(new URL(stage.databaseUrl).port));
    const behind = { databaseUrl: through(wire, stage.databaseUrl), sandbox: stage.sandbox };
    await using child = startChild(behind, syncCommand, { settings });
    await befall(stage, child, wire[mishap]);
    expect(await endOf(stage, behind, child)).toBe(0);
    await expectCalm(stage, calm, mishapsARun * concurrency);
  });
});
