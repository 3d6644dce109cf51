import { expect, test } from "vitest";
import { errorCodes, type ErrorCode } from "../../src/core/error-codes.ts";
import { wish, type Stage } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { calmRun, torn, type Calm } from "../support/ingest-witness.ts";
import { long, seed } from "../support/long.ts";
import { openStorm, scheduleOf, settings, type Storm } from "../support/storm.ts";

/** How long `npm run test:long` plays schedules. */
const minutes = long ? Number(process.env["STOREHOUSE_TEST_MINUTES"] ?? "60") : 0;
const mishapsASchedule = long ? 12 : 6;

test(
  "whatever happens to a fleet of workers, it ends with the rows of a calm run, and what was charged and not booked was lost and is on record",
  { timeout: (minutes + 10) * 60_000 },
  async () => {
    const calm = await calmRun({}, { settings });
    const until = performance.now() + minutes * 60_000;
    let number = seed;
    do {
      const schedule = scheduleOf(number, mishapsASchedule);
      const text = `schedule ${number} of ${mishapsASchedule} mishaps, ${JSON.stringify(schedule)}`;
      const end = await played(schedule, calm).catch((cause: unknown) => {
        throw new Error(text, { cause });
      });
      const expected = { exits: end.exits.map(() => 0), torn: [], facts: calm.facts, unexplained: [], invented: [] };
      expect({ text, ...end }).toEqual({ text, ...expected });
      number += 1;
      if (long) process.stdout.write(`${number - seed} schedules played, ${text}\n`);
    } while (performance.now() < until);
  },
);

/** What is left of a fleet after all that happens to it, in a form that says what is wrong. */
async function played({ workers, mishaps }: ReturnType<typeof scheduleOf>, calm: Calm) {
  await using storm = await openStorm(workers);
  const { stage } = storm;
  const halves: unknown[] = [];
  for (const mishap of mishaps) {
    await storm.play(mishap);
    halves.push(...(await torn(stage)));
  }
  const exits = await storm.calmDown(() => isLoaded(storm, calm));
  halves.push(...(await torn(stage)));
  return { exits, torn: halves, facts: await factsOf(stage), ...(await books(stage)) };
}

/** True when all that a calm run requests was requested and nothing is open. What failed is requested again, as a person would. */
async function isLoaded({ stage, retry }: Storm, calm: Calm): Promise<boolean> {
  const states = await statesOf(stage);
  if (states["failed"] !== undefined) await retry();
  const wanted = new Set(stage.asked().map(wish));
  return calm.wishes.every((one) => wanted.has(one)) && Object.keys(states).every((state) => state === "loaded");
}

type Booked = { readonly operation: string; readonly cost: number; readonly error_code: ErrorCode | null };

/**
 * The sandbox's own books against the ledger, by operation: `unexplained` charges have no record, neither a cost nor a call
 * whose answer was lost; `invented` ones are booked and were never made.
 */
async function books(stage: Stage) {
  const booked = await stage.query<Booked>("select operation, cost, error_code from ops.request");
  const rowsOf = Object.groupBy(booked, ({ operation }) => operation);
  const chargesOf = Object.groupBy(stage.asked(), ({ operation }) => operation ?? "");
  const found = Object.entries(chargesOf).map(([operation, asked = []]) => {
    const rows = rowsOf[operation] ?? [];
    const unbooked = asked.map(({ charged }) => charged).filter((charge) => charge > 0);
    const invented = rows
      .map(({ cost }) => cost)
      .filter((cost) => cost > 0)
      .filter((cost) => !unbooked.includes(cost) || unbooked.splice(unbooked.indexOf(cost), 1).length === 0);
    const lost = rows.filter(({ cost, error_code }) => cost === 0 && error_code !== null && mayBeCharged(error_code));
    return { invented, unexplained: unbooked.slice(lost.length).map((charge) => ({ operation, charge })) };
  });
  return {
    unexplained: found.flatMap(({ unexplained }) => unexplained),
    invented: found.flatMap(({ invented }) => invented),
  };
}

function mayBeCharged(code: ErrorCode): boolean {
  const entry = errorCodes[code];
  return "charged" in entry && entry.charged;
}
