import { beforeAll, describe, expect, test } from "vitest";
import { operationById } from "../../src/api/operations/all.ts";
import { callHashOf } from "../../src/api/call-hash.ts";
import { addDays, dayOf } from "../../src/core/day.ts";
import { readBudgets } from "../../src/credits/budgets.ts";
import { readCallerUse } from "../../src/credits/caller-use.ts";
import { callers, openDoor, openGatewayStage, rankingPath, type Door } from "../support/gateway-stage.ts";
import { until } from "../support/ingest-stage.ts";
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
const rankingParams = (date: string) => ({ trackId: Number(app), countryCode: "US", keywords: words, date });
const paidSince = (before: number) => nights.stage.requested().slice(before);

describe("a call", () => {
  test("is paid once, and then given again for nothing, in any order and letters", async () => {
    const before = nights.stage.requested().length;
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

  test("may name a country in lower case anywhere in its body", async () => {
    const asked = (country: string, more: object = {}) => {
      const keyword = { keyword: "Chess", keywordId: 31, appId: Number(app), orgId: 7, country, ...more };
      const report = { reportType: "TOP_APPS", reportLevel: "KEYWORD", startDate: older(9), endDate: older(2) };
      const body = JSON.stringify({ ...report, orgIds: [7], keywordList: [keyword] });
      return door.call("/searchads/reports", key, { method: "POST", body });
    };
    expect([(await asked("US")).from, (await asked("us")).from]).toEqual(["miss", "hit"]);
    expect((await asked("US", { keyword: "chess" })).from).toBe("miss");
    for (const field of ["colour", "constructor"]) expect((await asked("us", { [field]: "red" })).status).toBe(400);
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
    const before = nights.stage.requested().length;
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

  test("that belongs to nothing in the portfolio is stored and given again, and makes no table", async () => {
    const path = `/iosstore-keyword-ranking/US/keyword-metadata?keyword=${encodeURIComponent("no keyword of ours")}`;
    expect((await door.call(path, key)).from).toBe("miss");
    expect((await door.call(path, key)).from).toBe("hit");
    expect(
      await nights.stage.query(
        "select count(*)::int as answers from raw.answer where slice_id is null and operation = 'ios.keyword-metadata'",
      ),
    ).toEqual([{ answers: 1 }]);
  });

  test("whose stored answer is damaged is paid for again", async () => {
    const path = "/iosstore-keyword-ranking/US/keyword-metadata?keyword=damaged";
    expect((await door.call(path, key)).from).toBe("miss");
    await nights.stage.query(
      "update raw.answer set body = '\\xdeadbeef' where answer_id = (select max(answer_id) from raw.answer)",
    );
    expect(await door.call(path, key)).toMatchObject({ status: 200, from: "miss" });
    expect((await door.call(path, key)).from).toBe("hit");
  });

  test("under way is joined by an equal one, which pays nothing", async () => {
    const before = nights.stage.requested().length;
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
    const before = nights.stage.requested().length;
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
    const callHash = callHashOf(operationById("ios.keyword-ranking"), rankingParams(older(35)));
    await nights.stage.query("insert into ops.gateway_call values (decode($1, 'hex'), 999999, $2)", [
      callHash,
      new Date(nights.clock.now()).toISOString(),
    ]);
    expect((await door.call(ranking(older(35)), key)).from).toBe("miss");
    expect(await claims()).toEqual([]);
    // the next gateway that starts deletes it, if no equal call comes
    await nights.stage.query("insert into ops.gateway_call values (decode($1, 'hex'), 999999, $2)", [
      callHash,
      new Date(nights.clock.now()).toISOString(),
    ]);
    await (await openDoor(nights.stage, nights.run()))[Symbol.asyncDispose]();
    expect(await claims()).toEqual([]);
    key = await door.key("notebook");
  });

  test("whose claim could not be given back is sent when it comes again: no call of this gateway is under way for it", async () => {
    nights.stage.sandbox.set({
      latencyMs: 150,
      faults: [{ operation: "ios.keyword-ranking", times: 1, kind: "status", status: 403 }],
    });
    const failed = door.call(ranking(older(47)), key);
    await until(async () => (await nights.stage.query("select from ops.gateway_call")).length > 0);
    // as where the database is away when the call ends
    await nights.stage.query("alter table ops.gateway_call rename to away");
    expect((await failed).status).toBe(403);
    await nights.stage.query("alter table ops.away rename to gateway_call");
    nights.stage.sandbox.set({ latencyMs: 0, faults: [] });
    const again = await Promise.allSettled([
      door.call(ranking(older(47)), key, { signal: AbortSignal.timeout(5_000) }),
    ]);
    await nights.stage.query("delete from ops.gateway_call");
    expect(again).toMatchObject([{ value: { status: 200, from: "miss" } }]);
  });

  test("is answered although its claim could not be given back, or what is left cannot be read", async () => {
    nights.stage.sandbox.set({ latencyMs: 150 });
    const paid = door.call(ranking(older(48)), key);
    await until(async () => (await nights.stage.query("select from ops.gateway_call")).length > 0);
    await nights.stage.query("alter table ops.gateway_call rename to away");
    expect(await paid).toMatchObject({ status: 200, from: "miss", cost: "3" });
    await nights.stage.query("alter table ops.away rename to gateway_call");
    await nights.stage.query("delete from ops.gateway_call");
    nights.stage.sandbox.set({ latencyMs: 0 });
    await nights.stage.query("alter table ops.credit_account rename to away");
    expect(await door.call(ranking(older(48)), key)).toMatchObject({ status: 200, from: "hit", cost: "0" });
    await nights.stage.query("alter table ops.away rename to credit_account");
  });

  test("that has nothing (404) is not sent again while that is fresh", async () => {
    const before = nights.stage.requested().length;
    nights.stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 1, kind: "status", status: 404 }] });
    const statuses = [await door.call(ranking(older(36)), key), await door.call(ranking(older(36)), key)];
    nights.stage.sandbox.set({ faults: [] });
    expect(statuses.map(({ status }) => status)).toEqual([404, 404]);
    expect(paidSince(before)).toHaveLength(1);
  });

  test("that is answered with nothing (204) says what that was charged, and nothing when it is given again", async () => {
    const nothing = {
      operation: "ios.keyword-ranking",
      times: 1,
      kind: "status",
      status: 204,
      body: "",
      charge: true,
    } as const;
    nights.stage.sandbox.set({ faults: [nothing] });
    const before = nights.stage.requested().length;
    const replies = [await door.call(ranking(older(39)), key), await door.call(ranking(older(39)), key)];
    nights.stage.sandbox.set({ faults: [] });
    expect(replies.map(({ status, cost }) => [status, cost])).toEqual([
      [204, "3"],
      [204, "0"],
    ]);
    expect(paidSince(before).map(({ charged }) => charged)).toEqual([3]);
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
    const before = nights.stage.requested().length;
    const messages = [ranking(older(37)), ranking(older(37), ["nobody follows this"])].map(async (path) => {
      const { status, body } = await limited.call(path, key);
      return `${status} ${(body as { message: string }).message}`;
    });
    expect(await Promise.all(messages)).toEqual([
      expect.stringMatching(/^429 budget_too_small: .*(ranks|mine)/),
      expect.stringMatching(/^429 budget_too_small: .*mine/),
    ]);
    expect(paidSince(before)).toEqual([]);
    const chart = `/androidstore-category/topcharts/FINANCE/US/FREE?date=${older(2)}`;
    expect(await limited.call(chart, key)).toMatchObject({ status: 200, from: "miss" });
  });

  test("counts for a budget that is opened after it, also where no table is made of its answer", async () => {
    await using opened = await nights.stage.open(nights.run());
    const { db } = opened.warehouse;
    const [account] = await nights.stage.query<{ account_id: string }>("select account_id from ops.credit_balance");
    const later = { budget: "later", period: "month", credits: 1_000, datasets: null, apps: [app] } as const;
    const of = { accountId: account?.account_id ?? "", budgets: [later], day: nights.today() };
    const taken = async () => (await readBudgets(db, of))[0]?.taken ?? 0;
    const before = await taken();
    expect(await door.call(ranking(older(41), ["nobody follows this"]), key)).toMatchObject({
      from: "miss",
      cost: "3",
    });
    expect(await taken()).toBe(before + 3);
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
