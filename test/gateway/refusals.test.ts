import { beforeAll, describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { callers, openDoor, openGatewayStage, rankingPath, type Door } from "../support/gateway-stage.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import type { Nights } from "../support/nights.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openGatewayStage);
let nights: Nights;
let door: Door;
let key: string;
let app: string;
let words: readonly string[];

beforeAll(async () => {
  ({ nights, door, key, app, words } = stage);
});

const older = (days: number) => addDays(nights.today(), -days);
const ranking = (date: string, keywords = words, country = "US") => rankingPath(app, { date, keywords, country });
const paidSince = (before: number) => nights.stage.requested().slice(before);

describe("what is refused has the contract's envelope", () => {
  const envelope = (status: number) => ({
    status,
    body: {
      timestamp: expect.any(String),
      path: expect.stringMatching(/^\//),
      status,
      error: expect.any(String),
      message: expect.any(String),
      requestId: expect.any(String),
    },
  });
  const refused = async (path: string, token: string | null, init?: RequestInit) => {
    const before = nights.stage.requested().length;
    const { status, body } = await door.call(path, token, init);
    expect(paidSince(before)).toEqual([]);
    return { status, body };
  };

  test("without a key, with a wrong one, and with the account's own token", async () => {
    for (const token of [null, "shg_wrong", nights.stage.sandbox.token])
      expect(await refused(ranking(older(2)), token)).toEqual(envelope(401));
    expect(JSON.stringify(await refused("/no/such/path", key))).not.toContain(key);
  });

  test("where parameters do not fit", async () => {
    expect(await refused("/no/such/path", key)).toEqual(envelope(404));
    expect(await refused(ranking("yesterday"), key)).toEqual(envelope(400));
    expect(await refused(`${ranking(older(2))}&colour=red`, key)).toEqual(envelope(400));
    const history = `/iosstore-keyword-ranking/${app}/US/${words[0]}/keywordrankings`;
    expect(await refused(`${history}?startDate=${older(60)}&endDate=${older(2)}`, key)).toEqual(envelope(400));
  });

  test("that names the parameter at fault, also where several operations share a path", async () => {
    const problemOf = async (path: string, init?: RequestInit) =>
      ((await refused(path, key, init)).body as { message: string }).message;
    const reviews = `/iosstore-app-reviews/v2/${app}/${older(9)}/${older(2)}`;
    expect(await problemOf(`${reviews}?size=500`)).toBe("size: must be at most 100");
    expect(await problemOf(`${reviews}?rating=6`)).toMatch(/^rating: /);
    expect(await problemOf(`${reviews}?languages=EN`)).toMatch(/^languages is not a query parameter of iOS/);
    const report = { reportType: "TOP_APPS", reportLevel: "KEYWORD", startDate: older(9), endDate: older(2) };
    const body = JSON.stringify({ ...report, orgIds: [5] });
    expect(await problemOf("/searchads/reports", { method: "POST", body })).toBe("keywordList is required");
    expect(await problemOf(`/graph-data/ios/app/visibility/US?trackIds=${app}`)).toBe(
      "store: must be one of iosstore, androidstore",
    );
    const top = `/iosstore-keyword-ranking/${app}/US/top-keywords?date=${older(2)}`;
    expect(await problemOf(`${top}&limit=0`)).toBe("limit: must be at least 1");
    expect(await problemOf(`${top}&limit=all`)).toBe("limit: must be a number, not text");
  });

  test("where the caller may not change what the account tracks", async () => {
    const add = { method: "POST", body: JSON.stringify(["new word"]) };
    const path = `/gateway/account/app/${app}/keywords/US`;
    expect(await refused(path, key, add)).toEqual(envelope(403));
    const editor = await door.key("editor");
    // a list that no dataset requests
    const list = () => door.call(`/gateway/account/app/${app}/keywords/rankings/US?device=ipad`, editor);
    await list();
    const before = await list();
    expect((await door.call(path, editor, add)).from).toBe("miss");
    // the lists that are stored do not hold any more
    const after = await list();
    expect([before.from, after.from]).toEqual(["hit", "miss"]);
    expect(JSON.stringify(after.body)).not.toBe(JSON.stringify(before.body));
  });

  test("where the caller's credits of the day are spent, and says when there are more", async () => {
    const script = await door.key("script");
    const costs = [];
    for (const days of [40, 41, 42]) costs.push((await door.call(ranking(older(days)), script)).cost);
    expect(costs).toEqual(["3", "3", "3"]);
    const over = await door.call(ranking(older(43)), script);
    expect(over.status).toBe(429);
    expect(over.headers.get("x-credit-remaining")).toBe("1");
    expect(Number(over.headers.get("x-credit-reset"))).toBeLessThanOrEqual(22 * 3600);
    // what is there costs nothing of the day
    expect((await door.call(ranking(older(40)), script)).from).toBe("hit");
    const balance = await door.call("/api-key", script);
    expect(balance).toMatchObject({ status: 200, cost: "0" });
    const { creditResetTime: seconds, ...left } = (balance.body as { data: Record<string, number> }).data;
    expect({ ...(balance.body as object), data: left }).toEqual({
      success: true,
      data: { creditTotal: 10, creditRemaining: 1, creditResetPeriod: 24 },
    });
    expect([Number.isInteger(seconds), Number(seconds) >= 1 && Number(seconds) <= 22 * 3600]).toEqual([true, true]);
  });

  test("where calls without a reply may have spent the caller's credits of the day", async () => {
    // a caller that has taken nothing today
    await nights.stage.query("update ops.request set caller = 'notebook' where caller = 'script'");
    const script = await door.key("script");
    nights.stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 9, kind: "cut" }] });
    const before = nights.stage.requested().length;
    const statuses = [];
    for (const days of [45, 46, 47, 48]) statuses.push((await door.call(ranking(older(days)), script)).status);
    nights.stage.sandbox.set({ faults: [] });
    expect([statuses, paidSince(before).length]).toEqual([[503, 503, 503, 429], 3]);
    expect((await door.call("/api-key", script)).body).toMatchObject({ data: { creditRemaining: 1 } });
  });

  test("where calls under way may take the caller's credits of the day, and says that it can be repeated", async () => {
    await nights.stage.query("update ops.request set caller = 'notebook' where caller = 'script'");
    const ended = Promise.withResolvers<void>();
    await using api = await openProxy(nights.stage.sandbox, ({ target }) =>
      target.includes("/keywordrankings") ? ended.promise : undefined,
    );
    const environment = { API_BASE_URL: api.url, API_TOKEN: api.token };
    await using slow = await openDoor(nights.stage, nights.run({ environment }));
    key = await door.key("notebook");
    const script = await door.key("script");
    const calls = [61, 62, 63, 64].map((days) => slow.call(ranking(older(days)), script));
    const over = await Promise.race(calls);
    ended.resolve();
    expect([over.status, over.headers.get("x-credit-remaining"), over.headers.get("x-credit-reset")]).toEqual([
      429,
      "10",
      "1",
    ]);
    expect((await Promise.all(calls)).map(({ status }) => status).sort()).toEqual([200, 200, 200, 429]);
    const spent = await slow.call(ranking(older(65)), script);
    expect([spent.status, spent.headers.get("x-credit-remaining")]).toEqual([429, "1"]);
  });

  test("where calls under way in two gateways would take more than the caller's credits of the day", async () => {
    await nights.stage.query("update ops.request set caller = 'notebook' where caller = 'script'");
    await using other = await openDoor(nights.stage, nights.run());
    key = await door.key("notebook");
    const script = await door.key("script");
    nights.stage.sandbox.set({ latencyMs: 150 });
    const called = await Promise.all(
      [21, 22, 23, 24, 25, 26].map((days, place) =>
        (place % 2 === 0 ? door : other).call(ranking(older(days)), script),
      ),
    );
    nights.stage.sandbox.set({ latencyMs: 0 });
    const taken = called.reduce((sum, { cost }) => sum + Number(cost ?? 0), 0);
    const turnedAway = called.filter(({ status }) => status === 429).length;
    expect(called.filter(({ status }) => status === 200)).toHaveLength(called.length - turnedAway);
    // three of three credits are within the ten
    expect(turnedAway).toBeGreaterThanOrEqual(3);
    expect(taken).toBeLessThanOrEqual(10);
  });

  test("where another gateway has claimed a call for the caller's credits of the day, unless that was long ago", async () => {
    await nights.stage.query("update ops.request set caller = 'notebook' where caller = 'script'");
    await using _other = await openDoor(nights.stage, nights.run());
    key = await door.key("notebook");
    const script = await door.key("script");
    const claimedAt = (minutes: number) => [new Date(nights.clock.now() - minutes * 60_000).toISOString()];
    await nights.stage.query(
      `insert into ops.gateway_call (call_hash, worker_id, claimed_at, caller, credits)
       select '\\x00', max(worker_id), $1, 'script', 10 from ops.worker`,
      claimedAt(9),
    );
    expect((await door.call(ranking(older(66)), script)).status).toBe(429);
    await nights.stage.query("update ops.gateway_call set claimed_at = $1", claimedAt(11));
    expect((await door.call(ranking(older(66)), script)).status).toBe(200);
    await nights.stage.query("delete from ops.gateway_call");
  });

  test("where the caller's floor leaves nothing, although what is stored is given", async () => {
    const guest = await door.key("guest");
    const before = nights.stage.requested().length;
    const over = await door.call(ranking(older(50)), guest);
    expect([over.status, over.headers.get("x-credit-remaining"), paidSince(before)]).toEqual([429, "0", []]);
    expect((await door.call(ranking(older(40)), guest)).from).toBe("hit");
  });
});

test("a caller leaves as much as its class does: where history may take nothing, daily still may", async () => {
  const classes = { ...callers, nightly: { class: "daily" } } as const;
  const credits = { floors: { snapshot: 0, daily: 0, lookback: 0, history: 1 } };
  await using other = await openDoor(
    nights.stage,
    nights.run({ settings: { gateway: { callers: classes }, credits } }),
  );
  const [anybody, nightly] = [await other.key("notebook"), await other.key("nightly")];
  const before = nights.stage.requested().length;
  const over = await other.call(ranking(older(56)), anybody);
  expect([over.status, over.headers.get("x-credit-remaining"), paidSince(before)]).toEqual([429, "0", []]);
  const paid = await other.call(ranking(older(56)), nightly);
  expect([paid.status, paid.cost, Number(paid.headers.get("x-credit-remaining"))]).toEqual([
    200,
    "3",
    expect.toSatisfy((left: number) => left > 0),
  ]);
  key = await door.key("notebook");
});

test("a budget over everything holds for callers as well", async () => {
  const floors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
  const settings = { gateway: { callers }, credits: { floors, budgets: { everything: { credits_a_day: 1 } } } };
  await using other = await openDoor(nights.stage, nights.run({ settings }));
  const notebook = await other.key("notebook");
  const over = await other.call(ranking(older(55)), notebook);
  expect([over.status, over.headers.get("x-credit-remaining")]).toEqual([429, "0"]);
  expect(Number(over.headers.get("x-credit-reset"))).toBeLessThanOrEqual(22 * 3600);
  key = notebook;
});

describe("what the API does wrong", () => {
  const fails = (kind: "success-false" | "empty-401" | "cut" | "half") =>
    nights.stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 1, kind }] });

  test("is handed on, and is no answer to the next caller", async () => {
    fails("success-false");
    expect(await door.call(ranking(older(51)), key)).toMatchObject({
      status: 200,
      from: "miss",
      body: { success: false },
    });
    expect(await door.call(ranking(older(51)), key)).toMatchObject({ status: 200, from: "miss" });
    fails("cut");
    expect(await door.call(ranking(older(52)), key)).toMatchObject({ status: 503, from: null });
  });

  test("with the body of an answer is booked on the caller that paid for it", async () => {
    const booked =
      "select cost from ops.request where caller is not null and error_code = 'cut_connection' and status = 200";
    expect(await nights.stage.query(booked)).toEqual([]);
    fails("half");
    expect(await door.call(ranking(older(71)), key)).toMatchObject({ status: 503, from: null });
    expect(await nights.stage.query(booked)).toEqual([{ cost: 3 }]);
  });

  test("that it has nothing (204) costs only the caller that sent the call, and none of those that joined it", async () => {
    const nothing = { operation: "ios.keyword-ranking", kind: "status", status: 204, body: "", charge: true } as const;
    nights.stage.sandbox.set({ latencyMs: 150, faults: [{ ...nothing, times: 1 }] });
    const replies = await Promise.all([1, 2, 3].map(() => door.call(ranking(older(55)), key)));
    nights.stage.sandbox.set({ latencyMs: 0, faults: [] });
    expect(replies.map(({ status, cost }) => `${status} for ${cost}`).sort()).toEqual([
      "204 for 0",
      "204 for 0",
      "204 for 3",
    ]);
  });

  test("has nothing sent for a while where it refuses the account itself, and stored answers are given all the same", async () => {
    fails("empty-401");
    const before = nights.stage.requested().length;
    for (const days of [53, 54]) expect((await door.call(ranking(older(days)), key)).status).toBe(503);
    expect(paidSince(before)).toHaveLength(1);
    expect((await door.call(ranking(older(40)), key)).from).toBe("hit");
  });
});
