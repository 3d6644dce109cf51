import { expect, test } from "vitest";
import { Pool } from "undici";
import type { Fault } from "../../src/sandbox/sandbox.ts";
import { lumi, open } from "./open.ts";

const ranking = `/iosstore-keyword-ranking/${lumi.ios}/US/keywordrankings?keywords=notes,a%20b`;

test.each<[Fault["kind"], number, Partial<Fault>, object, number]>([
  ["status", 500, {}, { "content-type": "application/json" }, 0],
  ["status", 503, { status: 503, charge: true }, {}, 3],
  ["not-json", 200, {}, { "content-type": "text/html;charset=UTF-8", "x-credit-cost": "3" }, 3],
  ["success-false", 200, {}, { "content-type": "application/json", "x-credit-remaining": "99997" }, 3],
  ["success-false", 200, { charge: false }, { "x-credit-remaining": "100000" }, 0],
  ["empty-401", 401, {}, { "x-credit-cost": "3" }, 0],
  ["no-credit-headers", 200, {}, {}, 3],
])("%s answers %i, with %j", async (kind, status, more, headers, charged) => {
  await using api = await open({ faults: [{ kind, times: 1, ...more }] });
  expect(await api.ask(ranking)).toMatchObject({ status, headers });
  expect(api.sandbox.log()).toMatchObject([{ status, charged, fault: kind, remaining: 100_000 - charged }]);
  expect((await api.ask(ranking)).headers).toMatchObject({ "x-credit-cost": "3" });
});

test("a failed status carries no credit headers, neither does an answer that is to have none", async () => {
  await using api = await open({
    faults: [
      { kind: "status", times: 1 },
      { kind: "no-credit-headers", times: 1 },
    ],
  });
  for (const reply of [await api.ask(ranking), await api.ask(ranking)])
    expect(Object.keys(reply.headers).join(" ")).not.toMatch(/x-credit/);
});

test("success: false comes with a status of 200 and says why", async () => {
  await using api = await open({ faults: [{ kind: "success-false", times: 1 }] });
  expect((await api.ask(ranking)).json).toEqual({
    success: false,
    status: expect.any(String),
    message: expect.any(String),
  });
});

test("an empty 401 has neither body nor content type", async () => {
  await using api = await open({ faults: [{ kind: "empty-401", times: 1 }] });
  const reply = await api.ask(ranking);
  expect(reply.text).toBe("");
  expect(reply.headers).not.toHaveProperty("content-type");
});

test("a status may have a body of its own", async () => {
  await using api = await open({ faults: [{ kind: "status", times: 1, status: 400, body: "no" }] });
  expect(await api.ask(ranking)).toMatchObject({ status: 400, text: "no" });
});

test("a cut connection answers nothing and charges nothing", async () => {
  await using api = await open({ faults: [{ kind: "cut", times: 1 }] });
  await expect(api.ask(ranking)).rejects.toThrow();
  expect(api.sandbox.log()).toMatchObject([{ status: 0, charged: 0, fault: "cut" }]);
});

test("half an answer promises the whole, breaks off and is charged", async () => {
  await using api = await open({ faults: [{ kind: "half", times: 1 }] });
  await using pool = disposable(new Pool(api.sandbox.url));
  const reply = await pool.request({ path: `${ranking}&token=${api.sandbox.token}`, method: "GET" });
  expect(reply).toMatchObject({ statusCode: 200, headers: { "x-credit-remaining": "99997" } });
  let received = 0;
  await expect(async () => {
    for await (const chunk of reply.body) received += (chunk as Buffer).length;
  }).rejects.toThrow();
  expect(received).toBe(Math.floor(Number(reply.headers["content-length"]) / 2));
  expect(api.sandbox.log()).toMatchObject([{ status: 200, charged: 3, fault: "half" }]);
});

test("a stalled answer sends half and then nothing more, until the caller or the sandbox gives up", async () => {
  await using api = await open({ faults: [{ kind: "stall", times: 1 }] });
  await using pool = disposable(new Pool(api.sandbox.url));
  const reply = await pool.request({ path: `${ranking}&token=${api.sandbox.token}`, method: "GET" });
  const half = Math.floor(Number(reply.headers["content-length"]) / 2);
  let received = 0;
  for await (const chunk of reply.body) if ((received += (chunk as Buffer).length) >= half) break;
  expect(received).toBe(half);
  expect(api.sandbox.log()).toMatchObject([{ status: 200, charged: 3, fault: "stall" }]);
});

test("faults befall in order, as often as they say, what they name", async () => {
  const faults: Fault[] = [
    { kind: "status", status: 500, times: 2, contains: "a b" },
    { kind: "status", status: 502, times: 1, operation: "ios.keyword-ranking" },
    { kind: "status", status: 503, times: 9, operation: "android.keyword-ranking" },
  ];
  await using api = await open({ faults });
  const statuses = [];
  for (const path of ["/api-key", ranking, ranking, ranking, ranking]) statuses.push((await api.ask(path)).status);
  expect(statuses).toEqual([200, 500, 500, 502, 200]);
});

test("a refused request uses no fault up", async () => {
  await using api = await open({ faults: [{ kind: "status", times: 1 }] });
  const statuses = [
    await api.ask("/iosstore-keyword-ranking/1/US/keywordrankings?keywords=a"),
    await api.ask(ranking),
  ].map((reply) => reply.status);
  expect(statuses).toEqual([404, 500]);
});

function disposable(pool: Pool): Pool & AsyncDisposable {
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.destroy() });
}
