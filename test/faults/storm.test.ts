import { expect, test } from "vitest";
import { books } from "../support/books.ts";
import { callText } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { calmRun, torn, type Calm } from "../support/ingest-witness.ts";
import { long, seed } from "../support/long.ts";
import { openStorm, scheduleOf, settings, type Storm } from "../support/storm.ts";

/** How long `npm run test:long` plays schedules. */
const minutes = Number(process.env["STOREHOUSE_TEST_MINUTES"] ?? "60");
const mishapsASchedule = 12;

// every day each kind of mishap has a test of its own, and the books of two workers that are killed are read
test.runIf(long)(
  "after any mishaps a fleet of workers ends with the rows of a calm run, and what was charged and not booked was lost and is on record",
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
      process.stdout.write(`${number - seed} schedules played, ${text}\n`);
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
  const { unexplained, invented } = await books(stage);
  return { exits, torn: halves, facts: await factsOf(stage), unexplained, invented };
}

/** True when all that a calm run requests was requested and nothing is open. What failed is requested again, as a person would. */
async function isLoaded({ stage, retry }: Storm, calm: Calm): Promise<boolean> {
  const states = await statesOf(stage);
  if (states["failed"] !== undefined) await retry();
  const wanted = new Set(stage.requested().map(callText));
  return calm.callTexts.every((one) => wanted.has(one)) && Object.keys(states).every((state) => state === "loaded");
}
