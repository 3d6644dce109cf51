import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Operation } from "../../src/api/define-operation.ts";
import { listsAt } from "../../src/api/lists-at.ts";
import { operations } from "../../src/api/operations/all.ts";
import { readAnswer } from "../../src/api/read-answer.ts";
import { answers } from "../../src/sandbox/answers/all.ts";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { addressOf, open, sampleParams, yesterday, type Opened } from "./open.ts";

const named = operations.map((operation) => [operation.id, operation] as const);

test("every operation has an answer generator, and every generator an operation", () => {
  expect(Object.keys(answers).toSorted(), "answers of src/sandbox/answers, listed in its all.ts").toEqual(
    operations.map((operation) => operation.id).toSorted(),
  );
});

/** A sandbox as it is, one that spells everything in the other way that the contract leaves open, and one with a name for each list. */
const forms = {
  usual: {},
  odd: { dateForm: "local", openEnvelope: "bare", textAnswer: "text" },
  named: { bareLists: "named" },
} as const satisfies Record<string, SandboxOptions>;
let opened: Record<keyof typeof forms, Opened>;

beforeAll(async () => {
  const [usual, odd, lists] = await Promise.all([open(forms.usual), open(forms.odd), open(forms.named)]);
  opened = { usual, odd, named: lists };
});
afterAll(async () => {
  for (const api of Object.values(opened)) await api[Symbol.asyncDispose]();
});

/** Requests an operation with everything that it takes. */
async function ask(operation: Operation, form: keyof typeof forms = "usual") {
  const api = opened[form];
  // within the limit of its pace
  api.clock.move(1000);
  api.sandbox.clearLog();
  const params = sampleParams(operation, yesterday);
  const { path, ...body } = addressOf(operation, params);
  return { api, params, reply: await api.ask(path, { method: operation.method, ...body }) };
}

describe.each(named)("%s", (_, operation) => {
  test("answers in its own shape, at its own price, is logged, and is read whole in every form, with nothing unknown", async () => {
    const before = opened.usual.sandbox.account().remaining;
    const { api, params, reply } = await ask(operation);
    expect(reply, `answered with ${reply.text.slice(0, 200)}`).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json", "x-credit-cost": String(operation.cost) },
    });
    expect(operation.answer.safeParse(unwrapped(operation, reply.json))).toMatchObject({ success: true });
    expect(api.sandbox.log()).toMatchObject([
      { operation: operation.id, params, status: 200, charged: operation.cost, token: "known" },
    ]);
    expect(api.sandbox.account().remaining).toBe(before - operation.cost);

    const { reply: odd } = await ask(operation, "odd");
    for (const { text } of [reply, odd]) {
      const { value, invalid, drift } = readAnswer(operation, Buffer.from(text));
      expect({ invalid, drift }).toEqual({ invalid: [], drift: [] });
      if (operation.items !== null)
        expect(
          listsAt(value, operation.items).flat().length,
          `no rows for ${JSON.stringify(params)}: name other values in \`special\` of test/sandbox/open.ts`,
        ).toBeGreaterThan(0);
      else expect(value === null || (typeof value === "object" && Object.keys(value).length === 0)).toBe(false);
    }
  });
});

test.each(named.filter(([, { envelope }]) => envelope === "either"))(
  "%s comes without an envelope where the sandbox is set so",
  async (_, operation) => {
    const { reply } = await ask(operation, "odd");
    expect(reply.json).not.toHaveProperty("success");
    expect(operation.answer.safeParse(reply.json)).toMatchObject({ success: true });
  },
);

test.each(named.filter(([, { envelope, answer }]) => envelope === "bare" && answer instanceof z.ZodArray))(
  "%s is read all the same when its list comes under a name",
  async (_, operation) => {
    const { reply } = await ask(operation);
    const { reply: odd } = await ask(operation, "named");
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
