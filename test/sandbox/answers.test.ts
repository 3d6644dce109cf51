import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Operation } from "../../src/api/define-operation.ts";
import { operations } from "../../src/api/operations/all.ts";
import { answers } from "../../src/sandbox/answers/all.ts";
import { addressOf, open, sampleParams, yesterday } from "./open.ts";

test("every operation has an answer generator, and every generator an operation", () => {
  expect(Object.keys(answers).toSorted()).toEqual(operations.map((operation) => operation.id).toSorted());
});

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (_, operation) => {
  test("answers in its own shape, at its own price, and is logged", async () => {
    await using api = await open();
    const params = sampleParams(operation, yesterday);
    const { path, ...body } = addressOf(operation, params);

    const reply = await api.ask(path, { method: operation.method, ...body });

    expect(reply).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json", "x-credit-cost": String(operation.cost) },
    });
    expect(operation.answer.safeParse(unwrapped(operation, reply.json))).toMatchObject({ success: true });
    expect(api.sandbox.log()).toMatchObject([
      { operation: operation.id, params, status: 200, charged: operation.cost, token: "known" },
    ]);
    expect(api.sandbox.account().remaining).toBe(100_000 - operation.cost);
  });
});

function unwrapped(operation: Operation, body: unknown): unknown {
  if (operation.envelope === "bare") return body;
  const { data } = z.strictObject({ success: z.literal(true), data: z.unknown() }).parse(body);
  return data;
}
