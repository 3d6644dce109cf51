import { expect, test } from "vitest";
import { addDays, type Day } from "../../src/core/day.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { replay } from "../../src/archive/replay.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

const market = { apps: 3, countries: ["US"], keywordsPerApp: 2 } as const;
const run = {
  settings: { datasets: { visibility: { on: true, history_days: 5 } } },
  request: { datasets: ["tracked_app", "visibility"] },
} satisfies RunOptions;

/** Of a night that is about the list alone. */
const lists = { datasets: ["tracked_app"] } as const;

type Tracked = { trackId: string; competitors?: unknown };

/** The sandbox with other competitors in its list of tracked apps, or other scores. */
function altered(
  stage: Stage,
  alter: { list?: (app: Tracked, index: number) => unknown; score?: (trackId: string) => boolean },
) {
  return openProxy(stage.sandbox, (passing) => {
    const { list, score } = alter;
    if (passing.status !== 200) return;
    if (list !== undefined && /account\/app\/tracked/.test(passing.target)) {
      const { data, ...rest } = JSON.parse(passing.body) as { data: Tracked[] };
      const apps = data.map((app, index) => ({ ...app, competitors: list(app, index) }));
      passing.body = JSON.stringify({ ...rest, data: apps });
    }
    if (score !== undefined && passing.target.includes("visibility-score-history"))
      passing.body = JSON.stringify((JSON.parse(passing.body) as Tracked[]).filter(({ trackId }) => score(trackId)));
  });
}

const night = (
  stage: Stage,
  proxy: { url: string } | null,
  count = 0,
  { settings, datasets }: { settings?: RunOptions["settings"]; datasets?: readonly string[] } = {},
) =>
  stage.sync({
    settings: settings ?? run.settings,
    request: { ...run.request, ...(datasets && { datasets }), today: addDays(today, count) },
    ...(proxy === null ? {} : { environment: { API_BASE_URL: proxy.url } }),
  });

const pairs = (stage: Stage) =>
  stage.query<{ app: string; competitor: string; from: Day; to: Day | null; current: boolean }>(`
    select a.track_id as app, o.track_id as competitor, t.valid_from::text as from, t.valid_to::text as to, t.is_current as current
    from   core.tracked_competitor as t
    join   core.dim_app as a on a.app_key = t.app_key
    join   core.dim_app as o on o.app_key = t.competitor_app_key
    order  by 1, 2, 3`);

const scored = async (stage: Stage) =>
  (
    await stage.query<{ app: string }>(
      "select distinct a.track_id as app from core.fact_visibility join core.dim_app as a using (app_key) order by 1",
    )
  ).map(({ app }) => app);

const spent = async (stage: Stage) =>
  (
    await stage.query<{ cost: number }>(
      "select coalesce(sum(cost), 0)::int as cost from ops.request where dataset = 'visibility'",
    )
  )[0]?.cost ?? 0;

test("competitors come with the list of tracked apps, are described by it, and their scores with those of the apps", async () => {
  await using stage = await openStage({ market });
  await night(stage, null);
  const found = await pairs(stage);
  const apps = stage.sandbox.market.apps;
  expect(found.map(({ app, competitor }) => `${app} ${competitor}`).sort()).toEqual(
    apps
      .flatMap((app) => stage.sandbox.market.competitors(app).map(({ trackId }) => `${app.trackId} ${trackId}`))
      .sort(),
  );
  const named = new Set([...apps.map(({ trackId }) => trackId), ...found.map(({ competitor }) => competitor)]);
  expect(await scored(stage)).toEqual([...named].sort());
  expect(await spent(stage)).toBe(20);
  const described = await stage.query<{ described_by: string; apps: number }>(
    "select described_by, count(app_name)::int as apps from core.dim_app where described_by is not null group by 1 order by 1",
  );
  expect(described).toEqual([
    { described_by: "tracked_app", apps: 3 },
    { described_by: "tracked_competitor", apps: named.size - 3 },
  ]);
});

test("switched off, competitors are kept and not requested", async () => {
  await using stage = await openStage({ market });
  const settings = { datasets: { visibility: { on: true, history_days: 5, options: { competitors: false } } } };
  await night(stage, null, 0, { settings });
  expect(await pairs(stage)).not.toEqual([]);
  expect(await scored(stage)).toEqual(stage.sandbox.market.apps.map(({ trackId }) => trackId).sort());
});

test("an answer that is there already fills the table when it is replayed", async () => {
  await using stage = await openStage({ market, today: addDays(today, 1) });
  await night(stage, null, 0, lists);
  {
    await using proxy = await altered(stage, { list: (_, index) => (index === 0 ? ["7"] : []) });
    await night(stage, proxy, 1, lists);
  }
  const before = await pairs(stage);
  expect(before.map(({ current }) => current)).toContain(false);
  await stage.query("truncate core.tracked_competitor");
  await stage.query("update core.dim_app set app_name = null where described_by = 'tracked_competitor'");
  await using app = await stage.open();
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  expect(await replay(parts, datasetNamed("tracked_app"), { within: {}, keepPruned: false })).toMatchObject({
    slices: 2,
    invalid: 0,
  });
  expect(await pairs(stage)).toEqual(before);
  expect(
    await stage.query("select from core.dim_app where described_by = 'tracked_competitor' and app_name is null"),
  ).toEqual([]);
});

test("a list that is null, left out or empty on the next day closes the history, which opens anew when it comes back", async () => {
  await using stage = await openStage({ market, today: addDays(today, 2) });
  const list = ["7", "com.other.store"];
  /** What the apps say of theirs on the second day, each in a way of its own. */
  const nothing = [null, undefined, []];
  for (const count of [0, 1, 2]) {
    await using proxy = await altered(stage, { list: (_, index) => (count === 1 ? nothing[index] : list) });
    await night(stage, proxy, count, lists);
  }
  const stretch = (from: number, to: number | null) => ({
    from: addDays(today, from),
    to: to === null ? null : addDays(today, to),
    current: to === null,
  });
  const apps = stage.sandbox.market.apps.map(({ trackId }) => trackId).sort();
  expect(apps).toHaveLength(nothing.length);
  expect(await pairs(stage)).toEqual(
    apps.flatMap((app) =>
      list.flatMap((competitor) => [stretch(0, 1), stretch(2, null)].map((span) => ({ app, competitor, ...span }))),
    ),
  );
  expect(await stage.query("select from core.tracked_app where not is_current")).toEqual([]);
});

test("a competitor that names no app is rejected beside the others; that day it is unknown which competitor is gone, but not which app", async () => {
  await using stage = await openStage({ market, today: addDays(today, 1) });
  {
    await using proxy = await altered(stage, { list: (_, index) => (index === 0 ? ["7", "8"] : []) });
    await night(stage, proxy, 0, lists);
  }
  const [first, second, third] = stage.sandbox.market.apps;
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (!passing.target.includes("account/app/tracked")) return;
    const apps = [
      { trackId: first?.trackId, competitors: [{ name: "Nameless" }, 9] },
      { trackId: second?.trackId, competitors: "garbage" },
    ];
    passing.body = JSON.stringify({ success: true, data: apps });
  });
  await night(stage, proxy, 1, lists);
  expect((await pairs(stage)).map(({ competitor, current }) => [competitor, current])).toEqual([
    ["7", null],
    ["8", null],
    ["9", true],
  ]);
  const gone = await stage.query<{ app: string }>(
    "select track_id as app from core.tracked_app join core.dim_app using (app_key) where not is_current",
  );
  expect(gone).toEqual([{ app: third?.trackId }]);
  const rejects = await stage.query("select reason, item ->> 'trackId' as app from ops.reject order by reason");
  expect(rejects).toEqual([
    { reason: "a competitor has no track id", app: first?.trackId },
    { reason: "competitors are not a list", app: second?.trackId },
  ]);
  const slices = await stage.query("select distinct state from ops.slice where dataset = 'tracked_app'");
  expect(slices).toEqual([{ state: "loaded" }]);
});

test("a competitor that the service does not know takes nothing from the others and costs nothing more, night after night", async () => {
  await using stage = await openStage({ market, today: addDays(today, 7) });
  const unknown = "7999999999";
  await using proxy = await altered(stage, { list: (app) => [unknown, ...(app.competitors as unknown[])] });
  const nights = long ? [0, 1, 2] : [0, 1];
  const costs: number[] = [];
  for (const count of nights) {
    const before = await spent(stage);
    await night(stage, proxy, count);
    costs.push((await spent(stage)) - before);
  }
  expect(costs).toEqual(nights.map(() => 20));
  expect(await stage.query("select from ops.reject")).toEqual([]);
  const states = await stage.query("select distinct state from ops.slice where dataset = 'visibility' order by 1");
  expect(states).toEqual([{ state: "loaded" }, { state: "skipped" }]);
  const days = await stage.query<{ app: string; days: number }>(
    "select a.track_id as app, count(*)::int as days from core.fact_visibility join core.dim_app as a using (app_key) group by 1",
  );
  expect(days.map(({ app }) => app)).not.toContain(unknown);
  expect(new Set(days.map(({ days: count }) => count))).toEqual(new Set([5 + nights.length - 1]));
});
