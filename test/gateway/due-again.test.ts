import { describe, expect, test } from "vitest";
import { callers, openDoor } from "../support/gateway-stage.ts";
import { forTests } from "../support/for-tests.ts";
import { openSyncedNights } from "../support/nights.ts";

const noApps = { operation: "ios.developer-apps", times: 1, kind: "status", status: 200, body: "[]" } as const;
const datasets = { app_history: { on: true }, developer_app: { on: true } };
const settings = { datasets, gateway: { callers } };

/** A gateway over a warehouse in which a developer had no app at the first request, a day after its first sync. */
const stage = forTests(async () => {
  await using opened = new AsyncDisposableStack();
  const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 };
  const nights = opened.use(await openSyncedNights({ market }, { settings }, [noApps]));
  const door = opened.use(await openDoor(nights.stage, nights.run()));
  const key = await door.key("notebook");
  nights.next();
  const stack = opened.move();
  const from = async (path: string) => (await door.call(path, key)).from;
  return { nights, from, [Symbol.asyncDispose]: () => stack.disposeAsync() };
});

describe("a young snapshot is paid again where a plan would request it again", () => {
  test("after the portfolio has changed", async () => {
    const { nights, from } = stage;
    const [app] = await nights.stage.query<{ track_id: string }>(`
      select scope ->> 'app' as track_id from ops.slice where dataset = 'app_history' and scope ->> 'store' = 'ios'`);
    const page = () => from(`/iosstore-appinfo-v2/app/detailed/${app?.track_id ?? ""}/US`);
    expect(await page()).toBe("hit");
    await nights.stage.query("update ops.slice set fingerprint = 'an older version' where dataset = 'app_history'");
    expect([await page(), await page()]).toEqual(["miss", "hit"]);
    nights.next();
    expect(await page()).toBe("hit");
  });

  test("on the next day, if data is expected and there was none", async () => {
    const { nights, from } = stage;
    const [developer] = await nights.stage.query<{ code: string }>(`
      select scope ->> 'developer_code' as code from ops.slice where dataset = 'developer_app' and state = 'empty'`);
    const page = () => from(`/iosstore-appinfo-v2/app/developer/${developer?.code ?? ""}/US`);
    expect([await page(), await page()]).toEqual(["miss", "hit"]);
    nights.next();
    expect(await page()).toBe("hit");
  });
});
