import { expect, test } from "vitest";
import { sinceRequested } from "../../src/alerts/since-requested.ts";
import { day } from "../../src/core/day.ts";
import { alertsForTests } from "../support/alert-stage.ts";

const stage = alertsForTests();
const fell = { fell: { kind: "keyword_fell" } };
const onUs = { store: "ios", app: "1", country: "US" };

test.each([
  ["is new", "2026-08-09Z", ["2026-08-08"]],
  ["was requested before", "2026-08-05 23:00Z", ["2026-08-06", "2026-08-08"]],
])("takes the earlier days of a keyword that %s for what they are: history or late", async (_, requestedAt, fires) => {
  await stage.ranks({ "2026-08-08": 1 });
  await stage.watch(fell);
  await stage.mart.ask("update ops.alert set since_day = '2026-08-01'");
  await stage.ranks({ "2026-08-05": 4, "2026-08-06": 12, "2026-08-07": 12, "2026-08-08": 30 });
  await stage.mart.ask(`
    with b as (insert into ops.batch (items, digest) values ('{plan}', '${requestedAt}') returning batch_id),
         o as (insert into ops.batch (items, digest) values ('{other}', 'other than ${requestedAt}') returning batch_id)
    update ops.slice as s set created_at = case when s.slice_id = m.first then s.created_at else '${requestedAt}' end,
                              batch_id = case when s.slice_id = m.first then o.batch_id else b.batch_id end
    from   b, o, (select min(slice_id) as first from ops.slice) as m`);
  await stage.mart.ask(
    "update ops.slice set created_at = '2026-07-01Z' where slice_id = (select min(slice_id) from ops.slice)",
  );
  await stage.watch(fell);
  expect((await stage.fired()).map((line) => line.split(" | ")[1])).toEqual(fires);
});

test.each([
  ["visibility", { store: "ios", kind: "history" }, "{US:1}", { app: "1" }, 1],
  ["visibility", { store: "ios", kind: "history" }, "{US:12,GB:1}", { app: "1" }, 0],
  ["app_rating", { store: "ios", country: "US" }, "{1,2}", { app: "2" }, 1],
  ["app_rating", { store: "ios", country: "US" }, "{1,2}", { app: "3" }, 0],
  ["app_rating", { store: "ios", country: "GB" }, "{1}", { app: "1" }, 0],
  ["keyword_rank", onUs, "{plan}", { app: "1" }, 1],
  ["keyword_rank", onUs, "{plan}", { app: "1", store: "android" }, 0],
  ["review", { store: "ios", app: "1", source: "v2" }, "{GB,US}", { app: "1" }, 1],
  ["review", { store: "ios", app: "1", source: "v2" }, "{GB}", { app: "1" }, 0],
  [
    "review",
    { store: "android", app: "1", source: "plain" },
    "{en}",
    { app: "1", store: "android", country: "ALL" },
    1,
  ],
  ["search_ads_report", { org_id: "7" }, null, { app: "1", store: null }, 1],
])("a late day of what %s of %o with items %s requested: of %o %d", async (dataset, scope, items, about, kept) => {
  const { app, country, ...more } = { store: "ios", country: "US", ...about };
  await stage.answered({ dataset, scope, day: "2026-08-03" });
  if (items !== null)
    await stage.mart.ask(`
      with b as (insert into ops.batch (items, digest) values ('${items}', '${dataset} ${items} ${app} ${more.store}') returning batch_id)
      update ops.slice set batch_id = b.batch_id from b`);
  const fire = (on: string) => ({
    subject: { ...more, track_id: app, country_code: country },
    label: null,
    day: day(on),
    comparedDay: null,
    values: {},
    before: null,
  });
  const fires = [fire("2026-08-01"), fire("2026-08-02"), fire("2026-08-08")];
  const found = await sinceRequested(stage.mart.db, { datasets: [dataset] }, { fires, today: day("2026-08-09") });
  expect(found).toEqual(kept === 1 ? fires.slice(1) : fires.slice(2));
});
