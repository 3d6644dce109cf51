import fc from "fast-check";
import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { manualClock } from "../sandbox/open.ts";
import { openStage, today, callText } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { commands, finish, restarts, smallMarket, total, type Account, type Real } from "../support/model-commands.ts";
import { charged, repeats } from "../support/ingest-witness.ts";
import { long, seed } from "../support/long.ts";
import { ownPostgres } from "../support/own-postgres.ts";

const account = { token: "sandbox-token", total, periodHours: 24 * 3_650 };
const budget = long ? { numRuns: 60, maxCommands: 25 } : { numRuns: 1, maxCommands: 6 };

/** What is left by a run a day that nothing disturbs, up to each day. */
const calm = new Map<string, { facts: Record<string, string[]>; callTexts: readonly string[]; credits: number }>();

async function calmUntil(last: string) {
  const known = calm.get(last);
  if (known !== undefined) return known;
  const clock = manualClock(Date.now());
  await using stage = await openStage({ market: smallMarket, accounts: [account], clock });
  for (let day = today; day <= last; day = addDays(day, 1)) {
    stage.sandbox.set({ today: day });
    await finish({ stage, clock }, { killed: 0, surprises: 0, day });
  }
  const left = {
    facts: await factsOf(stage),
    callTexts: stage.requested().map(callText).sort(),
    credits: charged(stage.requested()),
  };
  calm.set(last, left);
  return left;
}

test(
  "after any events between runs and in them, the end is that of undisturbed runs and no request is wasted",
  async () => {
    // a server of one's own takes seconds to start, and each restart one more
    await using server = long ? await ownPostgres() : undefined;
    const all = server === undefined ? commands : [...commands, restarts];
    await fc.assert(
      fc.asyncProperty(fc.commands(all, { maxCommands: budget.maxCommands, size: "max" }), async (sequence) => {
        const clock = manualClock(Date.now());
        const own = server === undefined ? {} : { database: await server.migrated() };
        await using stage = await openStage({ market: smallMarket, accounts: [account], clock, ...own });
        const real: Real = { stage, clock, ...(server === undefined ? {} : { restart: server.restart }) };
        const model: Account = { killed: 0, surprises: 0, day: today };
        await fc.asyncModelRun(() => ({ model, real }), sequence);
        await finish(real, model);
        const expected = await calmUntil(model.day);
        expect(await factsOf(stage)).toEqual(expected.facts);
        const requested = stage.requested();
        expect([...new Set(requested.map(callText))].sort()).toEqual([...new Set(expected.callTexts)].sort());
        // requested again is only what was refused or spoilt, and what was on its way at a kill
        const vain = requested.filter(
          ({ status, fault }) => status !== 200 || (fault !== undefined && fault !== "no-credit-headers"),
        );
        const again = requested.length - expected.callTexts.length;
        expect(again).toBeLessThanOrEqual(vain.length + model.killed);
        expect(charged(requested) - expected.credits).toBeLessThanOrEqual(charged(repeats(requested)));
      }),
      { seed, numRuns: budget.numRuns, endOnFailure: !long },
    );
  },
  long ? 3_600_000 : 120_000,
);
