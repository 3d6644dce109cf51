import { must } from "../support/must.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Grant } from "../../src/credits/holds.ts";
import { creditClasses, type CreditClass } from "../../src/core/slice.ts";
import { heldByRows, hour, lost, minute, openBank, type TestAccount } from "../support/credits-account.ts";
import { ModelLedger, type ModelCall } from "../support/credits-model.ts";
import { long } from "../support/long.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

const total = 100;
const floors = { snapshot: 0.02, daily: 0.05, lookback: 0.1, history: 0.2 } as const;
const lowestFloor = 2;

type Real = { readonly account: TestAccount; readonly grants: Map<number, Grant> };
type Command = fc.AsyncCommand<ModelLedger, Real>;

/** A step on both sides, after which the account's row and its holds say what the model says. */
function command(name: string, step: (model: ModelLedger, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    toString: () => name,
    run: async (model, real) => {
      await step(model, real);
      const { remaining, resetsAt, held, inFlight } = await real.account.state();
      const expected = { held: model.held, inFlight: model.holding.length };
      expect({ remaining, resetsAt, held, inFlight }).toEqual({
        remaining: model.left,
        resetsAt: model.resetsAt,
        ...expected,
      });
      expect(await heldByRows(real.account)).toEqual(expected);
    },
  };
}

const pick = (calls: readonly ModelCall[], seed: number) =>
  calls.length === 0 ? null : must(calls[seed % calls.length]);

const reserve = (cost: number, creditClass: CreditClass) =>
  command(`reserve ${cost} ${creditClass}`, async (model, { account, grants }) => {
    const granted = model.grants(cost, creditClass);
    const grant = await account.reserve(cost, floors[creditClass]);
    expect(grant !== null).toBe(granted);
    if (grant === null) return;
    grants.set(grants.size, grant);
    model.hold(grants.size - 1, cost);
  });

const serve = (seed: number) =>
  command(`the service answers #${seed}`, async (model) => {
    const waiting = model.calls.filter((call) => call.answered === null);
    const call = pick(waiting, seed);
    if (call !== null) call.answered = model.service.spend(call.cost);
  });

/** The answer is booked, with its headers, without them, or not at all; what the service never answered was refused or lost. */
const settle = (seed: number, how: "reported" | "bare" | "lost") =>
  command(`settle #${seed} ${how}`, async (model, { account, grants }) => {
    const call = pick(model.calls, seed);
    if (call === null) return;
    const grant = must(grants.get(call.place));
    if (how === "lost") {
      await account.settle(grant, lost);
      model.end(call, null, call.lapsed ? 0 : call.cost);
    } else if (call.answered === null) {
      await account.settle(grant, account.refusal());
      model.end(call, null, 0);
    } else if (how === "bare") {
      await account.settle(grant, account.answer(call.cost));
      model.end(call, null, call.cost);
    } else {
      await account.settle(grant, account.answer(call.cost, call.answered));
      model.end(call, call.answered, call.cost);
    }
  });

const pass = (ms: number) =>
  command(`${ms} ms pass`, async (model, { account }) => {
    account.clock.move(ms);
    model.now += ms;
    model.service.passTo(model.now);
  });

const observe = () =>
  command("observe", async (model, { account }) => {
    await account.observe(model.service.header());
    model.observe();
  });

const letGo = () =>
  command("release what lapsed", async (model, { account }) => {
    await account.releaseLapsed();
    model.letGo();
  });

const otherSpends = (credits: number) =>
  command(`another consumer spends ${credits}`, async (model) => {
    model.service.spend(credits);
  });

const place = fc.nat(7);
const reserving = fc
  .tuple(fc.integer({ min: 1, max: 30 }), fc.constantFrom(...creditClasses))
  .map((args) => reserve(...args));
const settling = fc
  .tuple(place, fc.constantFrom("reported" as const, "reported" as const, "bare" as const, "lost" as const))
  .map((args) => settle(...args));
const calls = [reserving, reserving, place.map(serve), place.map(serve), settling, settling, fc.constant(observe())];

/** Runs the same commands on a new account and on the model, seeded, so that a red run can be repeated. */
async function agree(commands: readonly fc.Arbitrary<Command>[], inspect: (model: ModelLedger) => void): Promise<void> {
  const looking = commands.map((one) =>
    one.map((inner) => ({
      ...inner,
      run: async (model: ModelLedger, real: Real) => {
        await inner.run(model, real);
        inspect(model);
      },
    })),
  );
  const property = fc.asyncProperty(fc.commands(looking, { maxCommands: 50, size: "max" }), async (steps) => {
    const account = await bank.account({ total });
    const model = new ModelLedger({ total, now: account.clock.now(), resetsAt: account.periodEnd, floors });
    await fc.asyncModelRun(() => ({ model, real: { account, grants: new Map() } }), steps);
  });
  await fc.assert(property, { numRuns: long ? 40 : 24, seed: 20_260_820, endOnFailure: false });
}

test("follows the rules for any commands in any order", async () => {
  const times = fc.constantFrom(1, minute, 16 * minute, 6 * hour, 12 * hour).map(pass);
  let granted = 0;
  await agree([...calls, times, fc.constant(letGo()), fc.integer({ min: 1, max: 50 }).map(otherSpends)], (model) => {
    granted = Math.max(granted, model.calls.length);
  });
  expect(granted, "the commands must bring calls to overlap").toBeGreaterThan(3);
});

test("keeps the service's own balance above the floor while nobody else spends and nobody dies", async () => {
  let lowest = total;
  // nothing is released, so that no hold lapses; periods end while calls are under way
  await agree([...calls, fc.constantFrom(1, minute, 6 * hour).map(pass)], (model) => {
    lowest = Math.min(lowest, model.service.left);
    expect(model.service.left).toBeGreaterThanOrEqual(lowestFloor);
  });
  expect(lowest, "the commands must come near the floor").toBeLessThan(20);
});
