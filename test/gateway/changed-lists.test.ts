import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { apiSession } from "../../src/person/api-session.ts";
import { changeKeywords } from "../../src/person/keyword-changes.ts";
import { trackedNow } from "../../src/person/tracked-lists.ts";
import { withAdvisoryLock } from "../../src/postgres/advisory-lock.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { until } from "../support/ingest-stage.ts";
import { openDoor, openGatewayStage, type Door } from "../support/gateway-stage.ts";
import type { Nights } from "../support/nights.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openGatewayStage);
let nights: Nights;
let door: Door;
let editor: string;

beforeAll(async () => {
  ({ nights, door } = stage);
  editor = await door.key("editor");
});
afterEach(() => nights.stage.sandbox.set({ faults: [] }));

const list = (more = "") =>
  door.call(`/gateway/account/app/${stage.app}/keywords/rankings/US?device=ipad${more}`, editor);
const add = (keyword: string) =>
  door.call(`/gateway/account/app/${stage.app}/keywords/US`, editor, {
    method: "POST",
    body: JSON.stringify([keyword]),
  });
const names = (keyword: string) => expect.stringContaining(`"${keyword}"`);

describe("a list of keywords is read again", () => {
  test("after a change, also where it names today", async () => {
    const today = `&date=${nights.today()}`;
    await list(today);
    expect((await list(today)).from).toBe("hit");
    await add("first new");
    const after = await list(today);
    expect([after.from, JSON.stringify(after.body)]).toEqual(["miss", names("first new")]);
  });

  test("after a change that was made, and of which the reply was lost", async () => {
    await list();
    nights.stage.sandbox.set({ faults: [{ operation: "dashboard.add-keywords", times: 1, kind: "half" }] });
    expect((await add("second new")).status).toBe(503);
    const after = await list();
    expect([after.from, JSON.stringify(after.body)]).toEqual(["miss", names("second new")]);
  });

  test("while a change of a person is under way, who may be killed before its reply, and after it", async () => {
    const path = `/gateway/account/app/${stage.app}/keywords/rankings/US`;
    await door.call(path, editor);
    expect((await door.call(path, editor)).from).toBe("hit");
    const place = { trackId: stage.app, country: "US" };
    await using app = await nights.stage.open(nights.run());
    await using ingest = await openIngest(app, "command", createRunLimit(null));
    const { signal } = new AbortController();
    const session = apiSession({ app, ingest, stop: signal, onInvalid: () => undefined });
    await ingest.parts.refreshBalance();
    const now = await trackedNow(session, place, "never");
    // as a process leaves it that is killed before the reply
    const left: unknown[] = [];
    const send: typeof session.send = async (operation, params) => {
      left.push((await door.call(path, editor)).from);
      return session.send(operation, params);
    };
    const done = await changeKeywords({ ...session, send }, place, now, { add: ["third new"], remove: [], left: [] });
    expect(left).toEqual(["miss"]);
    expect(done).toMatchObject({ added: ["third new"], error: null });
    const after = await door.call(path, editor);
    expect([after.from, JSON.stringify(after.body)]).toEqual(["miss", names("third new")]);
  });
});

test("a keyword is loaded by the next sync although the reply to its addition was lost and another was removed", async () => {
  const place = { trackId: stage.app, country: "US" };
  {
    await using app = await nights.stage.open(nights.run());
    await using ingest = await openIngest(app, "command", createRunLimit(null));
    const session = apiSession({ app, ingest, stop: new AbortController().signal, onInvalid: () => undefined });
    await ingest.parts.refreshBalance();
    await nights.stage.sync(nights.run({ request: { datasets: ["tracked_keyword"] } }));
    const now = await trackedNow(session, place, "never");
    nights.stage.sandbox.set({ faults: [{ operation: "dashboard.add-keywords", times: 1, kind: "half" }] });
    const change = { add: ["fourth new"], remove: now.keywords?.slice(0, 1) ?? [], left: [] };
    expect(await changeKeywords(session, place, now, change)).toEqual({
      added: [],
      removed: change.remove,
      unconfirmed: ["fourth new"],
      error: null,
      isFailureKnown: true,
    });
  }
  await nights.stage.sync(nights.run({ request: { datasets: ["tracked_keyword"] } }));
  expect(
    await nights.stage.query(
      "select from core.tracked_keyword as t join core.dim_keyword as k using (keyword_key) where t.is_current and k.keyword = 'fourth new'",
    ),
  ).toHaveLength(1);
});

describe("a list that was under way during a change", () => {
  /** A gateway whose lists are passed on when they are let go, and whose other calls are not held. */
  const held = async () => {
    await using opened = new AsyncDisposableStack();
    const gone = Promise.withResolvers<void>();
    let arrived = 0;
    const api = opened.use(
      await openProxy(nights.stage.sandbox, async ({ target }) => {
        if (!target.includes("/keywords/rankings/")) return;
        arrived += 1;
        await gone.promise;
      }),
    );
    const environment = { API_BASE_URL: api.url, API_TOKEN: api.token };
    const slow = opened.use(await openDoor(nights.stage, nights.run({ environment })));
    const stack = opened.move();
    const path = `/gateway/account/app/${stage.app}/keywords/rankings/US?date=${nights.today()}&device=ipad`;
    return {
      list: () => slow.call(path, editor),
      add: (keyword: string) =>
        slow.call(`/gateway/account/app/${stage.app}/keywords/US`, editor, {
          method: "POST",
          body: JSON.stringify([keyword]),
        }),
      arrived: (count: number) => until(() => Promise.resolve(arrived === count)),
      letGo: gone.resolve,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  };

  test("is not given again", async () => {
    await using slow = await held();
    await add("sixth new");
    const first = slow.list();
    await slow.arrived(1);
    expect((await slow.add("seventh new")).status).toBe(200);
    slow.letGo();
    expect(JSON.stringify((await first).body)).not.toContain('"seventh new"');
    const after = await slow.list();
    expect([after.from, JSON.stringify(after.body)]).toEqual(["miss", names("seventh new")]);
    expect((await slow.list()).from).toBe("hit");
  });

  test("is given again if another account made the change, which has lists of its own", async () => {
    await list();
    const { query } = nights.stage;
    const [change] = await query<{ id: string }>(
      `insert into ops.request (account_id, attempt, page, class, operation, params, status, cost, duration_ms, byte_count, received_at)
       select 'of another', 1, 0, 'person', 'dashboard.add-keywords', jsonb_build_object('trackId', $1::text), 200, 0, 1, 1, max(fetched_at)
       from   raw.answer where operation = 'dashboard.daily-keyword-rankings' returning request_id::text as id`,
      [stage.app],
    );
    expect((await list()).from).toBe("hit");
    await query(
      "update ops.request set account_id = (select min(account_id) from ops.credit_account) where request_id = $1",
      [change?.id],
    );
    expect((await list()).from).toBe("miss");
  });

  test("is not given to a call that comes after the change", async () => {
    await using slow = await held();
    await add("eighth new");
    const first = slow.list();
    await slow.arrived(1);
    await slow.add("ninth new");
    const after = slow.list();
    await slow.arrived(2);
    slow.letGo();
    expect(JSON.stringify((await first).body)).not.toContain('"ninth new"');
    expect([(await after).from, JSON.stringify((await after).body)]).toEqual(["miss", names("ninth new")]);
  });

  test("is not given again if another gateway made the change", async () => {
    await using slow = await held();
    await add("tenth new");
    const first = slow.list();
    await slow.arrived(1);
    await add("eleventh new");
    slow.letGo();
    expect(JSON.stringify((await first).body)).not.toContain('"eleventh new"');
    const after = await slow.list();
    expect([after.from, JSON.stringify(after.body)]).toEqual(["miss", names("eleventh new")]);
  });
});

/** True while a process waits for a lock. */
async function isOneWaiting(): Promise<boolean> {
  const waiting = await nights.stage.query(
    "select from pg_locks join pg_database on oid = database where datname = current_database() and locktype = 'advisory' and not granted",
  );
  return waiting.length > 0;
}

test("changes of callers wait for one of a person that is under way, however many there are", async () => {
  await using app = await nights.stage.open(nights.run());
  nights.stage.sandbox.clearLog();
  const changes = await withAdvisoryLock(app.warehouse.db, "keywords", async () => {
    const begun = Array.from({ length: 30 }, (_, index) => add(`many ${index}`));
    await until(isOneWaiting);
    expect(nights.stage.requested()).toEqual([]);
    return begun.map((one) => one.then(({ status }) => status));
  });
  expect(new Set(await Promise.all(changes))).toEqual(new Set([200]));
  expect(nights.stage.requested()).toHaveLength(30);
});

test("changes of callers that wait for one of a person end when their gateway closes", async () => {
  await using app = await nights.stage.open(nights.run());
  const closing = await openDoor(nights.stage, nights.run());
  nights.stage.sandbox.clearLog();
  await withAdvisoryLock(app.warehouse.db, "keywords", async () => {
    const path = `/gateway/account/app/${stage.app}/keywords/US`;
    const begun = ["late one", "late two"].map((keyword) =>
      closing.call(path, editor, { method: "POST", body: JSON.stringify([keyword]) }),
    );
    await until(isOneWaiting);
    await Promise.all([closing[Symbol.asyncDispose](), Promise.allSettled(begun)]);
  });
  expect(nights.stage.requested()).toEqual([]);
});

describe("a reply that there is nothing is given no more", () => {
  const nothing = (operation: string) =>
    nights.stage.sandbox.set({ faults: [{ operation, times: 1, kind: "status", status: 404 }] });

  test("after a change", async () => {
    nothing("dashboard.daily-keyword-rankings");
    await add("fourth new");
    expect((await list()).status).toBe(404);
    expect((await list()).status).toBe(404);
    await add("fifth new");
    expect((await list()).status).toBe(200);
  });

  test("once another process has an answer to the same call", async () => {
    const path = "/iosstore-keyword-ranking/US/keyword-metadata?keyword=some%20word";
    nothing("ios.keyword-metadata");
    expect((await door.call(path, editor)).status).toBe(404);
    await using other = await openDoor(nights.stage, nights.run());
    expect((await other.call(path, await door.key("notebook"))).from).toBe("miss");
    expect((await door.call(path, editor)).from).toBe("hit");
  });
});
