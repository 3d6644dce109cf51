import { afterEach, beforeEach, expect, test } from "vitest";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { defineOperation, inPath, inQuery, type Operation } from "../../src/api/define-operation.ts";
import { CountryCode, DayText } from "../../src/api/values.ts";
import { SandboxState } from "../../src/sandbox/state.ts";
import { createMarket } from "../../src/sandbox/market/market.ts";
import { createSandboxServer } from "../../src/sandbox/server.ts";
import { clientOf, manualClock } from "./open.ts";

const shared = {
  store: null,
  cost: 7,
  range: null,
  paging: null,
  envelope: "data",
  items: null,
  answer: z.unknown(),
  summary: "made up",
} as const;
const inBody = <S extends z.ZodType>(schema: S) => ({ in: "body", required: true, schema, doc: "made up" }) as const;

// operations as later ones may be: bodies, an exclusive end in the path, two on one path
const made: readonly Operation[] = [
  defineOperation({
    ...shared,
    id: "made.add",
    name: "Add",
    method: "POST",
    path: "/words/{country}",
    params: { country: inPath(CountryCode, "c"), body: inBody(z.array(z.string()).max(2)) },
  }),
  defineOperation({
    ...shared,
    id: "made.delete",
    name: "Delete",
    method: "DELETE",
    path: "/words/{country}",
    params: { country: inPath(CountryCode, "c"), body: inBody(z.array(z.string())) },
  }),
  defineOperation({
    ...shared,
    id: "made.daily",
    name: "Daily",
    method: "POST",
    path: "/reports",
    params: { type: inBody(z.literal("DAILY")), day: inBody(DayText) },
  }),
  defineOperation({
    ...shared,
    id: "made.top",
    name: "Top",
    method: "POST",
    path: "/reports",
    cost: 9,
    params: { type: inBody(z.literal("TOP")) },
  }),
  defineOperation({
    ...shared,
    id: "made.reviews",
    name: "Reviews",
    method: "GET",
    path: "/reviews/{startDate}/{endDate}",
    params: {
      startDate: inPath(DayText, "d"),
      endDate: inPath(DayText, "d"),
      countries: inQuery(z.array(CountryCode), "c"),
      stars: inQuery(z.array(z.int()), "s"),
      replied: inQuery(z.boolean(), "r"),
    },
    range: { start: "startDate", end: "endDate", endInclusive: false, days: 2 },
  }),
  defineOperation({
    ...shared,
    id: "made.latest",
    name: "Latest",
    method: "GET",
    path: "/reviews/v2/{id}",
    params: { id: inPath(z.string(), "i") },
  }),
];

let state: SandboxState;
let server: FastifyInstance;
let client: ReturnType<typeof clientOf>;

beforeEach(async () => {
  state = new SandboxState({
    clock: manualClock(),
    market: createMarket(1),
    accounts: [{ token: "t0ken", total: 100, periodHours: 24 }],
    settings: {},
  });
  const answers = Object.fromEntries(
    made.map(({ id }) => [id, { operation: id, generate: (values: unknown) => ({ id, values }) }]),
  );
  server = createSandboxServer(state, {
    operations: made,
    answers,
    words: { ios: "iosstore", android: "androidstore" },
  });
  client = clientOf(await server.listen({ host: "127.0.0.1", port: 0 }));
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await server.close();
});

test.each(["POST", "DELETE"] as const)(
  "a single body parameter named body is the whole JSON of a %s",
  async (method) => {
    const reply = await client.ask("/words/US?token=t0ken", { method, body: '["タスク"]' });
    expect(reply).toMatchObject({
      status: 200,
      json: { success: true, data: { values: { country: "US", body: ["タスク"] } } },
    });
  },
);

test("other body parameters are the fields of a JSON object, and distinguish the operations of one path", async () => {
  expect(
    await client.ask("/reports?token=t0ken", { method: "POST", body: '{"type":"DAILY","day":"2026-08-01"}' }),
  ).toMatchObject({ json: { data: { id: "made.daily" } } });
  expect(await client.ask("/reports?token=t0ken", { method: "POST", body: '{"type":"TOP"}' })).toMatchObject({
    json: { data: { id: "made.top" } },
  });
  expect(state.log.entries().map(({ operation, charged }) => [operation, charged])).toEqual([
    ["made.daily", 7],
    ["made.top", 9],
  ]);
});

test.each([
  ["no JSON", "/words/US", "[", 400],
  ["broken UTF-8", "/words/US", Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), 400],
  ["a value that does not fit", "/words/US", '["a","b","c"]', 400],
  ["no body", "/words/US", "", 400],
  ["a list where an object is due", "/reports", '["DAILY"]', 400],
  ["a field that the operation does not have", "/reports", '{"type":"DAILY","day":"2026-08-01","page":1}', 400],
  ["a day to come", "/reports", '{"type":"DAILY","day":"2026-08-21"}', 400],
])("a body with %s is refused", async (_, path, body, status) => {
  expect(await client.ask(`${path}?token=t0ken`, { method: "POST", body })).toMatchObject({ status, json: { status } });
  expect(state.log.entries()).toMatchObject([{ charged: 0 }]);
});

test.each([
  ["two days, the end not counted", "2026-08-18/2026-08-20", 200],
  ["an end that is tomorrow", "2026-08-20/2026-08-21", 200],
  ["an end after tomorrow", "2026-08-21/2026-08-22", 400],
  ["three days", "2026-08-17/2026-08-20", 400],
])("an exclusive range of %s", async (_, range, status) => {
  expect((await client.ask(`/reviews/${range}?token=t0ken&countries=US,JP&stars=1,5&replied=true`)).status).toBe(
    status,
  );
});

test("numbers and booleans are read from text, item by item", async () => {
  const reply = await client.ask("/reviews/2026-08-18/2026-08-19?token=t0ken&countries=US,JP&stars=1,5&replied=true");
  expect(reply.json).toMatchObject({ data: { values: { countries: ["US", "JP"], stars: [1, 5], replied: true } } });
});

test("every country of a list must have a store", async () => {
  expect(
    (await client.ask("/reviews/2026-08-18/2026-08-19?token=t0ken&countries=US,NZ&stars=1&replied=true")).status,
  ).toBe(400);
});

test("a written segment wins over a parameter", async () => {
  expect(await client.ask("/reviews/v2/x?token=t0ken")).toMatchObject({ json: { data: { id: "made.latest" } } });
});
