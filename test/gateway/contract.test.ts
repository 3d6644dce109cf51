import { expect, test } from "vitest";
import type { Operation } from "../../src/api/define-operation.ts";
import { operations } from "../../src/api/operations/all.ts";
import { addDays, day } from "../../src/core/day.ts";
import { addressOf, sampleParams } from "../sandbox/open.ts";
import { callOf, openDoor } from "../support/gateway-stage.ts";
import { openStage, today } from "../support/ingest-stage.ts";
import { forTests } from "../support/for-tests.ts";

const opened = forTests(async () => {
  await using stack = new AsyncDisposableStack();
  const stage = stack.use(
    await openStage({ openEnd: "exclusive", market: { apps: 2, countries: ["US", "JP"], keywordsPerApp: 6 } }),
  );
  const door = stack.use(await openDoor(stage));
  const key = await door.key("editor");
  const kept = stack.move();
  return { stage, door, key, [Symbol.asyncDispose]: () => kept.disposeAsync() };
});

/** A call of an operation at an address. */
function callAt(url: string, key: string, operation: Operation, chosen: Readonly<Record<string, unknown>> = {}) {
  const { path, body } = addressOf(operation, { ...sampleParams(operation, addDays(today, -1)), ...chosen });
  return callOf(url, path, key, { method: operation.method, ...(body === undefined ? {} : { body }) });
}

const each = operations.map((operation) => [operation.id, operation] as const);

test.each(each)("%s is answered as the service answers it, at its price, with what is left", async (_, operation) => {
  const { stage, door, key } = opened;
  const through = await callAt(door.gateway.url, key, operation);
  expect([through.status, through.cost]).toEqual([200, String(operation.cost)]);
  expect(through.headers.get("content-type")).toMatch(/^application\/json/);
  expect(Number(through.headers.get("x-credit-remaining"))).toBeGreaterThan(0);
  expect(Number(through.headers.get("x-credit-reset"))).toBeGreaterThan(0);
  // a change that was made is none the second time, and a caller has a balance of its own
  if (operation.changes === true || operation.cost === 0) return;
  expect(through.body).toEqual((await callAt(stage.sandbox.url, stage.sandbox.token, operation)).body);
});

// a month from the day on which the calls below begin has 30 days
const limited = operations.flatMap((operation) => {
  const { range } = operation;
  const longest = range === null ? null : (range.days ?? (range.months === 1 ? 30 : null));
  return range === null || longest === null ? [] : [[operation.id, { operation, range, longest }] as const];
});

test.each(limited)("%s is let through over as many days as it may span, and refused over more", async (_, call) => {
  const { stage, door, key } = opened;
  const { operation, range, longest } = call;
  const start = day("2026-06-10");
  const over = async (days: number) => {
    const before = stage.requested().length;
    const { status } = await callAt(door.gateway.url, key, operation, {
      [range.start]: start,
      [range.end]: addDays(start, range.endInclusive === true ? days - 1 : days),
    });
    return [status, stage.requested().length - before];
  };
  // an end of which the contract does not say whether it is inclusive may be exclusive
  expect([await over(longest), await over(longest + 1)]).toEqual([
    [200, 1],
    [400, 0],
  ]);
});
