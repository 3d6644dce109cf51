import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startConsole } from "../../src/console/server.ts";
import { clientOf, syncWithFailedDay, type Client } from "../support/console-stage.ts";
import { openStage, until, type Stage } from "../support/ingest-stage.ts";

const market = { apps: 2, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 } as const;
// dearer than documented
const costs = { "ios.keyword-ranking": 4, "android.keyword-ranking": 4, "dashboard.add-keywords": 2 };

const opened = new AsyncDisposableStack();
let stage: Stage;
let ann: Client;

beforeAll(async () => {
  const accounts = [{ token: "sandbox-token", total: 100_000, periodHours: 24, costs }];
  stage = opened.use(await openStage({ market, accounts }));
  await syncWithFailedDay(stage);
  const app = opened.use(await stage.open());
  ann = clientOf(opened.use(await startConsole(app, { port: 0 })));
  await ann.get("/");
});
afterAll(() => opened.disposeAsync());

const priceIn = (text: string) => /name="agreed" value="(\d+)"/.exec(text)?.[1] ?? "";
const charged = (before: number) =>
  stage
    .requested()
    .slice(before)
    .reduce((sum, one) => sum + one.charged, 0);

describe("where an operation costs more than documented by now, what is shown is enough for", () => {
  test("a retry of what was planned at the documented price", async () => {
    const [failed] = await stage.query<{ slice_id: string }>("select slice_id from ops.failed_slice");
    const slices = failed?.slice_id ?? "";
    const [run] = await stage.query<{ id: string }>("select run_id as id from ops.slice where slice_id = $1", [slices]);
    const shown = await Promise.all(
      [`/slices/${slices}`, `/runs/${run?.id}?state=failed`].map(async (page) => (await ann.get(page)).text),
    );
    for (const text of shown)
      expect([priceIn(text), text]).toEqual(["4", expect.stringContaining("Retry · 4 credits")]);
    const agreed = priceIn((await ann.post("/actions/retry", { slices })).text);
    const before = stage.requested().length;
    expect((await ann.post("/actions/retry", { slices, agreed })).status).toBe(303);
    await until(async () => (await stage.query("select from ops.audit where ended_at is not null")).length > 0);
    expect(await stage.query("select state from ops.slice where slice_id = $1", [slices])).toEqual([
      { state: "loaded" },
    ]);
    expect([agreed, charged(before)]).toEqual(["4", 4]);
  });

  test("a change of keywords, once the price was seen", async () => {
    const [row] = await stage.query<{ app: string }>(
      "select track_id as app from core.dim_app join core.tracked_app using (app_key) where store = 'ios'",
    );
    const seen = [];
    for (const keywords of ["one new", "another new"]) {
      const fields = { app: row?.app ?? "", country: "US", verb: "add", keywords, back: "/portfolio" };
      await ann.get(`/portfolio/${fields.app}/US`);
      const agreed = priceIn((await ann.post("/actions/keywords", fields)).text);
      const before = stage.requested().length;
      const { status } = await ann.post("/actions/keywords", { ...fields, agreed });
      seen.push({ agreed, status, charged: charged(before) });
    }
    expect(seen[1]).toEqual({ agreed: "3", status: 303, charged: 3 });
  });
});
