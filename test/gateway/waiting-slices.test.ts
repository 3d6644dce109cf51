import { expect, test } from "vitest";
import { addressOf } from "../../src/api/address.ts";
import { operationById } from "../../src/api/operations/all.ts";
import { pageParams } from "../../src/api/paging.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { openRun } from "../../src/ledger/runs.ts";
import { insertSlices } from "../../src/ledger/slices.ts";
import { callers, openDoor } from "../support/gateway-stage.ts";
import { until } from "../support/ingest-stage.ts";
import { planned } from "../support/ingest-planned.ts";
import { must } from "../support/must.ts";
import { openSyncedNights } from "../support/nights.ts";

const lists = ["tracked_app", "tracked_country", "tracked_keyword"];
const settings = { gateway: { callers }, datasets: { ad_creative: { on: true, most_pages: 3 } } };

/** The one app of the market that has two pages of advertisements. */
const only = { apps: ["6446318020"] };

test.each([
  { paid: [0], left: [1] },
  { paid: [1], left: [0] },
  { paid: [1, 0], left: [] },
])(
  "the pages $paid that a caller paid for are not paid again by the slice that waits for them",
  async ({ paid, left }) => {
    const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 };
    await using nights = await openSyncedNights({ market }, { request: { datasets: lists } });
    const { stage, clock } = nights;
    const request = { datasets: ["ad_creative"], bounds: {}, today: nights.today(), only };
    await using app = await stage.open(nights.run({ settings }));
    const { db } = app.warehouse;
    const [draft] = (await planned(app, request)).flatMap(({ slices }) => slices);
    const slice = must(draft);
    const start = {
      kind: "sync",
      account: "",
      asOf: request.today,
      datasets: request.datasets,
      maxCredits: null,
    } as const;
    const [id] = await insertSlices(
      db,
      await openRun(db, { ...start, workerId: null }, clock.now()),
      [slice],
      clock.now(),
    );

    const before = stage.requested().length;
    {
      await using door = await openDoor(stage, nights.run({ settings }));
      const key = await door.key("notebook");
      const operation = operationById(slice.operation);
      const whole = { ...slice, sliceId: "0", runId: "0", attempt: 0 };
      for (const page of paid) {
        const params = { ...datasetNamed(slice.dataset).request(whole, page), ...pageParams(operation, page) };
        const { path } = addressOf(operation, params, { ios: "iosstore", android: "androidstore" });
        expect((await door.call(path.replace(/^(?!\/)/, "/"), key)).from).toBe("miss");
      }
      const given = () => stage.query("select page from raw.answer where slice_id = $1", [id]);
      await until(async () => (await given()).length === paid.length);
      expect(await stage.query("select state from ops.slice where slice_id = $1", [id])).toEqual([
        { state: "pending" },
      ]);
    }
    await stage.sync(nights.run({ settings, request }));
    const sent = stage
      .requested()
      .slice(before)
      .filter(({ operation }) => operation === slice.operation);
    // the API counts pages from 1
    expect(sent.map(({ params }) => Number(params["page"]) - 1)).toEqual([...paid, ...left]);
    expect(await stage.query("select state, rows_loaded as rows from ops.slice where slice_id = $1", [id])).toEqual([
      { state: "loaded", rows: 74 },
    ]);
  },
);
