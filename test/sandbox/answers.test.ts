import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Operation } from "../../src/api/define-operation.ts";
import { listsAt } from "../../src/api/lists-at.ts";
import { operations } from "../../src/api/operations/all.ts";
import { readAnswer } from "../../src/api/read-answer.ts";
import { answers } from "../../src/sandbox/answers/all.ts";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { addressOf, open, sampleParams, yesterday } from "./open.ts";

const named = operations.map((operation) => [operation.id, operation] as const);

test("every operation has an answer generator, and every generator an operation", () => {
  expect(Object.keys(answers).toSorted()).toEqual(operations.map((operation) => operation.id).toSorted());
});

/** Requests an operation with everything that it takes. */
async function ask(operation: Operation, options: SandboxOptions = {}) {
  const api = await open(options);
  const params = sampleParams(operation, yesterday);
  const { path, ...body } = addressOf(operation, params);
  return { api, params, reply: await api.ask(path, { method: operation.method, ...body }) };
}

describe.each(named)("%s", (_, operation) => {
  test("answers in its own shape, at its own price, and is logged", async () => {
    const { api: opened, params, reply } = await ask(operation);
    await using api = opened;

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

  test("is read whole, with something in it and nothing unknown, in every form that the sandbox has", async () => {
    const { api: opened, reply } = await ask(operation);
    await using _api = opened;
    const { api: other, reply: odd } = await ask(operation, {
      dateForm: "local",
      openEnvelope: "bare",
      textAnswer: "text",
    });
    await using _other = other;
    for (const { text } of [reply, odd]) {
      const { value, invalid, drift } = readAnswer(operation, Buffer.from(text));
      expect({ invalid, drift }).toEqual({ invalid: [], drift: [] });
      if (operation.items !== null) expect(listsAt(value, operation.items).flat().length).toBeGreaterThan(0);
      else expect(value === null || (typeof value === "object" && Object.keys(value).length === 0)).toBe(false);
    }
  });
});

test.each(named.filter(([, { envelope }]) => envelope === "either"))(
  "%s comes without an envelope where the sandbox is set so",
  async (_, operation) => {
    const { api: opened, reply } = await ask(operation, { openEnvelope: "bare" });
    await using _api = opened;
    expect(reply.json).not.toHaveProperty("success");
    expect(operation.answer.safeParse(reply.json)).toMatchObject({ success: true });
  },
);

test.each(named.filter(([, { envelope, answer }]) => envelope === "bare" && answer instanceof z.ZodArray))(
  "%s is read all the same when its list comes under a name",
  async (_, operation) => {
    const { api: opened, reply } = await ask(operation);
    const { api: other, reply: odd } = await ask(operation, { bareLists: "named" });
    await using _api = opened;
    await using _other = other;
    expect(odd.json).toEqual({ results: reply.json });
    expect(readAnswer(operation, Buffer.from(odd.text))).toMatchObject({
      value: readAnswer(operation, Buffer.from(reply.text)).value,
      drift: [{ path: "results", kind: "array" }],
    });
  },
);

function unwrapped(operation: Operation, body: unknown): unknown {
  // where the contract leaves the envelope open the sandbox wraps unless its options say otherwise
  if (operation.envelope === "bare") return body;
  const { data } = z.strictObject({ success: z.literal(true), data: z.unknown() }).parse(body);
  return data;
}
