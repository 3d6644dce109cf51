import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationById } from "../../src/api/operations/all.ts";
import { questionOf } from "../../src/api/question.ts";
import { addDays, dayOf } from "../../src/core/day.ts";
import { readCallerUse } from "../../src/credits/caller-use.ts";
import { callers, openDoor, type Door } from "../support/gateway-stage.ts";
import { until } from "../support/ingest-stage.ts";
import { openNights, type Nights } from "../support/nights.ts";

let nights: Nights;
let door: Door;
let key: string;
/** An app that the account tracks, its first two keywords, and the days that a sync has not requested. */
let app: string;
let words: readonly string[];
const older = (days: number) => addDays(nights.today(), -days);

beforeAll(async () => {
  nights = await openNights({ market: { apps: 2, countries: ["US"], keywordsPerApp: 6, organicKeywords: 4 } });
  await nights.stage.sync(nights.run());
  door = await openDoor(nights.stage, nights.run());
  key = await door.key("notebook");
  const rows = await nights.stage.query<{ track_id: string; keyword: string }>(`
    select a.track_id, k.keyword from core.tracked_keyword join core.dim_app as a using (app_key) join core.dim_keyword as k using (keyword_key)
    where  a.store = 'ios' and k.keyword !~ '[,.%/?#]' order by 1, 2 limit 2`);
  app = rows[0]?.track_id ?? "";
  words = rows.map(({ keyword }) => keyword);
});
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await nights[Symbol.asyncDispose]();
});

const ranking = (date: string, keywords = words, country = "US") =>
  `/iosstore-keyword-ranking/${app}/${country}/keywordrankings?keywords=${encodeURIComponent(keywords.join(","))}&date=${date}`;
const rankingParams = (date: string) => ({ trackId: Number(app), countryCode: "US", keywords: words, date });
const paidSince = (before: number) => nights.stage.asked().slice(before);

describe("a call", () => {
  test("is paid once, and then given again for nothing, in any order and letters", async () => {
    const before = nights.stage.asked().length;
    const first = await door.call(ranking(older(30)), key);
    expect([first.status, first.cost, first.from]).toEqual([200, "3", "miss"]);
    const again = await door.call(ranking(older(30), words.toReversed(), "us"), key);
    expect([again.status, again.cost, again.from, again.headers.get("age")]).toEqual([
      200,
      "0",
      "hit",
      expect.stringMatching(/^\d+$/),
    ]);
    expect(again.body).toEqual(first.body);
    expect(paidSince(before)).toHaveLength(1);
    expect(Number(first.headers.get("x-credit-remaining"))).toBeGreaterThan(0);
    expect(Number(first.headers.get("x-credit-reset"))).toBeGreaterThan(0);
  });

  test("feeds the table whose dataset would have made it, and tonight's plan does not buy it again", async () => {
    const date = older(31);
    const all = (
      await nights.stage.query<{ keyword: string }>(
        `
      select k.keyword from core.tracked_keyword join core.dim_app as a using (app_key) join core.dim_keyword as k using (keyword_key)
      where a.track_id = $1 and position(',' in k.keyword) = 0 order by 1`,
        [app],
      )
    ).map(({ keyword }) => keyword);
    await door.call(ranking(date, all), key);
    const slices = () =>
      nights.stage.query("select state, class from ops.slice where window_start = $1 and dataset = 'keyword_rank'", [
        date,
      ]);
    await until(async () => (await slices()).length > 0);
    expect(await slices()).toEqual([{ state: "loaded", class: "daily" }]);
    expect(
      await nights.stage.query(
        "select count(distinct keyword_key)::int as keywords from core.fact_keyword_rank where date_day = $1",
        [date],
      ),
    ).toEqual([{ keywords: all.length }]);
    const before = nights.stage.asked().length;
    await nights.stage.sync(
      nights.run({ request: { bounds: { start: date, end: addDays(date, 1) }, datasets: ["keyword_rank"] } }),
    );
    expect(
      paidSince(before).filter(
        ({ operation, params }) => operation === "ios.keyword-ranking" && String(params["keywords"]) === String(all),
      ),
    ).toEqual([]);
    expect(await nights.stage.query("select kind, outcome from ops.run where kind = 'gateway'")).toEqual([
      { kind: "gateway", outcome: "loaded" },
    ]);
  });

  test("that belongs to nothing that is followed is stored and given again, and makes no table", async () => {
    const path = `/iosstore-keyword-ranking/US/keyword-metadata?keyword=${encodeURIComponent("no keyword of ours")}`;
    expect((await door.call(path, key)).from).toBe("miss");
    expect((await door.call(path, key)).from).toBe("hit");
    expect(
      await nights.stage.query(
        "select count(*)::int as answers from raw.answer where slice_id is null and operation = 'ios.keyword-metadata'",
      ),
    ).toEqual([{ answers: 1 }]);
  });

  test("under way is joined by an equal one, which pays nothing", async () => {
    const before = nights.stage.asked().length;
    nights.stage.sandbox.set({ latencyMs: 150 });
    const both = await Promise.all([door.call(ranking(older(33)), key), door.call(ranking(older(33)), key)]);
    nights.stage.sandbox.set({ latencyMs: 0 });
    expect(both.map(({ from, cost }) => [from, cost]).sort()).toEqual([
      ["joined", "0"],
      ["miss", "3"],
    ]);
    expect(paidSince(before)).toHaveLength(1);
  });

  test("under way in another gateway of the warehouse is waited for as well, unless that has died", async () => {
    await using other = await openDoor(nights.stage, nights.run());
    key = await door.key("notebook");
    const before = nights.stage.asked().length;
    nights.stage.sandbox.set({ latencyMs: 150 });
    const both = await Promise.all([door.call(ranking(older(34)), key), other.call(ranking(older(34)), key)]);
    nights.stage.sandbox.set({ latencyMs: 0 });
    expect(both.map(({ from, cost }) => [from, cost]).sort()).toEqual([
      ["joined", "0"],
      ["miss", "3"],
    ]);
    expect(paidSince(before)).toHaveLength(1);
    const claims = () => nights.stage.query("select from ops.gateway_call");
    expect(await claims()).toEqual([]);
    // what a gateway claimed that was killed is free
    const question = questionOf(operationById("ios.keyword-ranking"), rankingParams(older(35)));
    await nights.stage.query("insert into ops.gateway_call values (decode($1, 'hex'), 999999, $2)", [
      question,
      new Date(nights.clock.now()).toISOString(),
    ]);
    expect((await door.call(ranking(older(35)), key)).from).toBe("miss");
    expect(await claims()).toEqual([]);
  });

  test("that has nothing (404) is not sent again while that is fresh", async () => {
    const before = nights.stage.asked().length;
    nights.stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 1, kind: "status", status: 404 }] });
    const statuses = [await door.call(ranking(older(36)), key), await door.call(ranking(older(36)), key)];
    nights.stage.sandbox.set({ faults: [] });
    expect(statuses.map(({ status }) => status)).toEqual([404, 404]);
    expect(paidSince(before)).toHaveLength(1);
  });

  test("counts for budgets of its dataset, and of the app that it names", async () => {
    const floors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
    const budgets = {
      ranks: { datasets: ["keyword_rank"], credits_a_day: 1 },
      mine: { app_groups: ["mine"], credits_a_month: 1 },
    };
    const settings = { credits: { floors, budgets }, portfolio: { groups: { apps: { mine: [app] } } } };
    await using limited = await openDoor(nights.stage, nights.run({ settings: { gateway: { callers }, ...settings } }));
    key = await door.key("notebook");
    const before = nights.stage.asked().length;
    const messages = [ranking(older(37)), ranking(older(37), ["nobody follows this"])].map(async (path) => {
      const { status, body } = await limited.call(path, key);
      return `${status} ${(body as { message: string }).message}`;
    });
    expect(await Promise.all(messages)).toEqual([
      expect.stringMatching(/^429 budget_exhausted: .*(ranks|mine)/),
      expect.stringMatching(/^429 budget_exhausted: .*mine/),
    ]);
    expect(paidSince(before)).toEqual([]);
    const chart = `/androidstore-category/topcharts/FINANCE/US/FREE?date=${older(2)}`;
    expect(await limited.call(chart, key)).toMatchObject({ status: 200, from: "miss" });
  });

  test("is counted for its caller: what was charged, and what it was spared", async () => {
    await using opened = await nights.stage.open(nights.run());
    const use = async () => {
      const days = await readCallerUse(opened.warehouse.db, dayOf(nights.clock.now()));
      return days.find(({ caller }) => caller === "notebook");
    };
    const before = await use();
    await door.call(ranking(older(38)), key);
    await door.call(ranking(older(38)), key);
    await until(async () => (await use())?.hits === (before?.hits ?? 0) + 1);
    const after = await use();
    expect(after).toMatchObject({
      requests: (before?.requests ?? 0) + 1,
      charged: (before?.charged ?? 0) + 3,
      saved: (before?.saved ?? 0) + 3,
    });
    const [row] = await nights.stage.query<{ credits: number }>(
      "select sum(cost)::int as credits from ops.request where caller = 'notebook'",
    );
    expect(after?.charged).toBe(row?.credits);
  });
});

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
    const before = nights.stage.asked().length;
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
    expect(await door.call("/api-key", script)).toMatchObject({
      status: 200,
      cost: "0",
      body: { data: { creditTotal: 10, creditRemaining: 1 } },
    });
  });

  test("where the caller's floor leaves nothing, although what is stored is given", async () => {
    const guest = await door.key("guest");
    const before = nights.stage.asked().length;
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
  const before = nights.stage.asked().length;
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
  expect((await other.call(ranking(older(55)), notebook)).status).toBe(429);
  key = notebook;
});

describe("what the API does wrong", () => {
  const fails = (kind: "success-false" | "empty-401" | "cut") =>
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

  test("has nothing sent for a while where it refuses the account itself, and stored answers are given all the same", async () => {
    fails("empty-401");
    const before = nights.stage.asked().length;
    for (const days of [53, 54]) expect((await door.call(ranking(older(days)), key)).status).toBe(503);
    expect(paidSince(before)).toHaveLength(1);
    expect((await door.call(ranking(older(40)), key)).from).toBe("hit");
  });
});
