import { expect, test } from "vitest";
import { fail, type StorehouseError } from "../../src/core/errors.ts";
import { createLog } from "../../src/core/log.ts";
import { createApiOutage } from "../../src/ingest/api-outage.ts";
import { manualClock } from "../sandbox/open.ts";

const giveUpAfterMs = 3_600_000;

/** Outage handling on a clock of its own; `refusals` balance checks meet no API. */
function openOutage(refusals: number) {
  const clock = manualClock();
  let checks = 0;
  const outage = createApiOutage({
    clock,
    log: createLog({ level: "silent", secrets: [] }),
    retryMs: 1_000,
    giveUpAfterMs,
    refreshBalance: async () => {
      checks += 1;
      if (checks <= refusals) throw fail("no_connection");
    },
    abort: (error) => {
      throw error;
    },
    halted: new AbortController().signal,
  });
  return { clock, outage, checks: () => checks };
}

/** A call that is under way until it is ended; the code of the error that it ends with. */
function begin({ outage }: ReturnType<typeof openOutage>) {
  const answer = Promise.withResolvers<void>();
  const code = outage
    .through(() => answer.promise)
    .then(
      () => null,
      (error: unknown) => (error as StorehouseError).code,
    );
  return { cut: () => answer.reject(fail("cut_connection")), code };
}

test("calls that were under way when the API was unavailable cost no attempt, also those that end once it is back", async () => {
  const stage = openOutage(2);
  const [first, late] = [begin(stage), begin(stage)];
  first.cut();
  expect(await first.code).toBe("api_unavailable");
  late.cut();
  expect(await late.code).toBe("api_unavailable");
  expect(stage.checks()).toBe(3);
});

test("a call that begins once the API is back, and fails beside others that do not, has failed for its own reason", async () => {
  const stage = openOutage(1);
  const before = begin(stage);
  before.cut();
  await before.code;
  stage.clock.move(1);
  const after = begin(stage);
  stage.clock.move(1);
  after.cut();
  expect(await after.code).toBe("cut_connection");
  expect(stage.checks()).toBe(3);
});

test("one check of an API that responds settles it for all calls that were under way", async () => {
  const stage = openOutage(0);
  const calls = [begin(stage), begin(stage)];
  stage.clock.move(1);
  for (const { cut, code } of calls) {
    cut();
    expect(await code).toBe("cut_connection");
  }
  expect(stage.checks()).toBe(1);
});

test("an API that is unavailable for longer than a command may wait stops it, and not before", async () => {
  const stage = openOutage(Number.POSITIVE_INFINITY);
  const from = stage.clock.now();
  const call = begin(stage);
  call.cut();
  expect(await call.code).toBe("no_connection");
  // the check at which the time is over: there is one a minute by then
  const waited = stage.clock.now() - from;
  expect([waited >= giveUpAfterMs, waited < giveUpAfterMs + 60_000]).toEqual([true, true]);
});
