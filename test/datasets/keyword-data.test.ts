import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";

const requestedFor = (stage: Stage, operation: string) =>
  stage.requested().filter((request) => request.operation === operation);
const only = (name: string, more: object = {}) => ({ datasets: { [name]: { on: true, ...more } } });
/** One iOS app in one country with one awkward keyword, without a request to the account for it. */
const one = (name: string, keyword = "a/b, 50% ☂") => ({
  ...only(name),
  portfolio: { source: "config" as const, apps: [{ id: "6446318020", countries: ["US"], keywords: [keyword] }] },
});

test("a list that shrinks on one day leaves no app behind, and the day before keeps its own", async () => {
  await using stage = await openStage();
  let longest = 5;
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (!passing.target.includes("/keyword-apps")) return;
    const answer = JSON.parse(passing.body) as Record<"iphoneApps" | "ipadApps", number[]>;
    const iphoneApps = answer.iphoneApps.slice(0, longest);
    passing.body = JSON.stringify({ ...answer, iphoneApps, ipadApps: answer.ipadApps.slice(0, longest - 1) });
  });
  const sync = (day: typeof today) =>
    stage.sync({
      settings: { ...one("keyword_app"), ...only("keyword_app", { refresh_days: 1 }) },
      environment: { API_BASE_URL: proxy.url },
      request: { datasets: ["keyword_app"], today: day },
    });
  await sync(today);
  await sync(addDays(today, 1));
  longest = 2;
  // forgets that it has checked today
  await stage.query("update ops.slice set as_of = as_of - 30");
  await sync(addDays(today, 1));
  const rows = await stage.query(
    `select date_day::text as day, device_code as device, array_agg(position order by position) as positions
     from   core.fact_keyword_app natural join core.dim_device group by 1, 2 order by 1, 2 desc`,
  );
  expect(rows).toEqual([
    { day: today, device: "IPHONE", positions: [1, 2, 3, 4, 5] },
    { day: today, device: "IPAD", positions: [1, 2, 3, 4] },
    { day: addDays(today, 1), device: "IPHONE", positions: [1, 2] },
    { day: addDays(today, 1), device: "IPAD", positions: [1] },
  ]);
});

test("shares of a keyword with a slash, a comma and a percent sign are requested by device and found again", async () => {
  await using stage = await openStage();
  for (const name of ["impression_share", "category_share"])
    await stage.sync({ settings: one(name), request: { datasets: [name] } });
  expect(stage.requested().map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const rows = await stage.query(
    `select keyword, device_code from core.fact_impression_share natural join core.dim_keyword natural join core.dim_device
     group by 1, 2 order by 2`,
  );
  expect(rows).toEqual(["IPAD", "IPHONE"].map((device) => ({ keyword: "a/b, 50% ☂", device_code: device })));
});

test("estimates of all keywords of an app and country are one call, those with a comma among them", async () => {
  await using stage = await openStage();
  await stage.sync({ settings: only("keyword_estimate"), request: { datasets: ["keyword_estimate"] } });
  const requested = requestedFor(stage, "dashboard.keyword-estimation");
  const lists = requested.map(({ params }) => params["keywords"] as readonly string[]);
  expect(lists.some((list) => list.some((keyword) => keyword.includes(",")))).toBe(true);
  expect(new Set(requested.map(({ params }) => JSON.stringify([params["trackId"], params["country"]]))).size).toBe(
    requested.length,
  );
  const [found] = await stage.query("select count(*)::int as rows from core.fact_keyword_estimate");
  expect(found).toEqual({ rows: lists.flat().length });
});

test("a hidden field that changes closes the words that left it", async () => {
  await using stage = await openStage();
  let keywords = "habit,todo";
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (passing.target.includes("/keyword-spots/"))
      passing.body = JSON.stringify({ data: [{ locale: "en-US", keywords, updateDate: 0 }], success: true });
  });
  const sync = (day: typeof today) =>
    stage.sync({
      settings: one("keyword_spot"),
      environment: { API_BASE_URL: proxy.url },
      request: { datasets: ["keyword_spot"], today: day },
    });
  await sync(today);
  keywords = "todo,goal";
  await sync(addDays(today, 6));
  expect(requestedFor(stage, "dashboard.keyword-spot")).toHaveLength(1);
  await sync(addDays(today, 7));
  const words = await stage.query(
    `select keyword, valid_from::text as from, valid_to::text as to
     from   core.keyword_spot_word natural join core.dim_keyword order by keyword`,
  );
  expect(words).toEqual([
    { keyword: "goal", from: addDays(today, 7), to: null },
    { keyword: "habit", from: today, to: addDays(today, 7) },
    { keyword: "todo", from: today, to: null },
  ]);
  const fields = await stage.query("select keywords, is_current from core.keyword_spot order by valid_from");
  expect(fields).toEqual([
    { keywords: "habit,todo", is_current: false },
    { keywords: "todo,goal", is_current: true },
  ]);
});
