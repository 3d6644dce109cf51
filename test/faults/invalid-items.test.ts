import { beforeAll, expect, test } from "vitest";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { openProxy, type Passing } from "../support/ingest-proxy.ts";
import { openStage, type Stage } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { calmRun, type Calm } from "../support/ingest-witness.ts";

type Entry = Record<string, unknown>;

/** An iOS and an Android app. */
const market = { apps: 2, countries: ["US"] };

/** The tables after a run that nothing disturbed. */
let calm: Calm["facts"];

beforeAll(async () => {
  calm = (await calmRun({ market })).facts;
});

/** Syncs through a server that alters the lists of ranks; `alter` gets the entries of one answer. */
async function syncAltered(stage: Stage, alter: (entries: Entry[], passing: Passing) => unknown): Promise<void> {
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (passing.status !== 200 || !passing.target.includes("/keywordrankings")) return;
    const entries = JSON.parse(passing.body) as Entry[];
    passing.body = JSON.stringify(alter(entries, passing) ?? entries);
  });
  const result = await stage.sync({ environment: { API_BASE_URL: proxy.url } });
  expect(result).toMatchObject({ outcome: "loaded", progress: { failed: 0 } });
}

const lost = (row: string, keyword: string) => row.includes(`"keyword_key": ${JSON.stringify(keyword)}`);

test("keeps what does not fit with its reason, and loads the rows beside it", async () => {
  await using stage = await openWithPortfolio({ market });
  await syncAltered(stage, (entries) => {
    for (const entry of entries) if (entry["keyword"] === "50% off") entry["rank"] = "first";
    for (const entry of entries) if (entry["keyword"] === "タスク") entry["rank"] = 4e9;
    for (const entry of entries) if (entry["keyword"] === "...") entry["trackId"] = 1;
    entries.push({ ...entries[0], keyword: "nobody requested for this" });
  });
  const reasons = await stage.query<{ reason: string; item: Entry }>(
    'select distinct on (reason collate "C") reason, item from ops.reject order by reason collate "C"',
  );
  expect(reasons.map(({ reason }) => reason)).toEqual([
    "a keyword that was not requested",
    "an app that was not requested",
    "rank is not a valid int",
    expect.stringMatching(/^rank: /),
  ]);
  expect(reasons.find(({ reason }) => reason.startsWith("rank: "))?.item).toMatchObject({
    keyword: "50% off",
    rank: "first",
  });
  // of a keyword whose answer was not understood nothing is claimed, neither a rank nor that there is none
  const spoilt = ["50% off", "タスク", "..."];
  const ranks = (await factsOf(stage))["core.fact_keyword_rank"] ?? [];
  const expected = calm["core.fact_keyword_rank"] ?? [];
  const whole = (row: string) => !spoilt.some((keyword) => lost(row, keyword));
  expect(ranks.filter(whole)).toEqual(expected.filter(whole));
  expect(ranks.filter((row) => lost(row, "50% off") && !row.includes('"rank": null'))).toEqual([]);
  expect(ranks.filter((row) => lost(row, "タスク") || lost(row, "..."))).toEqual(
    expected.filter((row) => (lost(row, "タスク") || lost(row, "...")) && ranks.includes(row)),
  );
});

test("lists a field that nobody knows once, and takes the answer", async () => {
  await using stage = await openWithPortfolio({ market });
  const alter = (entries: Entry[]) => {
    for (const entry of entries) Object.assign(entry, { mood: "good", trend: { since: 3 } });
  };
  await syncAltered(stage, alter);
  const drift = () =>
    stage.query(
      "select operation, path, kind, slice_id is not null as reported from ops.drift order by operation, path",
    );
  const listed = [
    "android.keyword-history",
    "android.keyword-ranking",
    "ios.keyword-history",
    "ios.keyword-ranking",
  ].flatMap((operation) => [
    { operation, path: "[].mood", kind: "string", reported: true },
    { operation, path: "[].trend", kind: "object", reported: true },
  ]);
  expect(await drift()).toEqual(listed);
  expect(await factsOf(stage)).toEqual(calm);
  // without what was landed, or it would not be requested again
  await stage.query("truncate raw.answer");
  const again = async (added: string) => {
    await stage.query("update ops.slice set state = 'failed' where dataset = 'keyword_rank'");
    await using proxy = await openProxy(stage.sandbox, (passing) => {
      if (passing.target.includes("/keywordrankings"))
        passing.body = passing.body.replaceAll('"keyword"', `${added},"keyword"`);
    });
    await stage.retry({ environment: { API_BASE_URL: proxy.url } });
  };
  await again('"mood":1');
  // the same field with another type is new, the rest is not
  expect(await drift()).toHaveLength(listed.length + 4);
  await stage.query("update ops.drift set first_seen_at = '2026-01-01', last_seen_at = '2026-01-01'");
  await stage.query("truncate raw.answer");
  await again('"mood":2');
  const seen = await stage.query(
    "select distinct path, kind, first_seen_at = '2026-01-01' as old, last_seen_at > '2026-01-01' as again from ops.drift order by 1, 2",
  );
  // what answers still hold is noted as seen again, and what they do not is not
  expect(seen).toEqual([
    { path: "[].mood", kind: "number", old: true, again: true },
    { path: "[].mood", kind: "string", old: true, again: false },
    { path: "[].trend", kind: "object", old: true, again: false },
  ]);
});

test("loses nothing beside a text that Postgres cannot hold", async () => {
  await using stage = await openStage({ market });
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (passing.target.startsWith("/gateway/account/app/tracked"))
      passing.body = passing.body.replace('"developerName":"', '"developerName":"\\u0000\\ud800');
    if (passing.target.includes("/keywordrankings"))
      passing.body = passing.body.replace(
        /\]$/,
        ',{"trackId":1,"keyword":"half \\udc00 nul \\u0000","date":0,"rank":1}]',
      );
  });
  expect(await stage.sync({ environment: { API_BASE_URL: proxy.url } })).toMatchObject({ outcome: "loaded" });
  const facts = await factsOf(stage);
  expect(facts["core.fact_keyword_rank"]?.length).toBe(calm["core.fact_keyword_rank"]?.length);
  const clean = facts["core.dim_app"]?.map((row) => row.replace("\ufffd", ""));
  expect(clean).toEqual(calm["core.dim_app"]);
  expect(facts["core.dim_app"]).not.toEqual(calm["core.dim_app"]);
  const [reject] = await stage.query<{ item: Entry }>("select item from ops.reject limit 1");
  expect(reject?.item["keyword"]).toBe("half \ufffd nul ");
});

test("fails a slice whose answer has a shape that nobody knows, and keeps the answer", async () => {
  await using stage = await openWithPortfolio({ market });
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (passing.target.includes("/app.lumi.habit/US/keywordrankings")) passing.body = '{"ranks":{"odd":true}}';
  });
  const result = await stage.sync({ environment: { API_BASE_URL: proxy.url } });
  expect(result.outcome).toBe("failed");
  const failed = await stage.query<{ error_code: string; kept: boolean }>(
    `select error_code, exists (select from raw.answer as a where a.slice_id = s.slice_id) as kept
     from   ops.slice as s where state = 'failed'`,
  );
  expect(failed.length).toBe(result.progress.failed);
  expect(new Set(failed.map((slice) => JSON.stringify(slice)))).toEqual(
    new Set([JSON.stringify({ error_code: "unknown_shape", kept: true })]),
  );
});

test("loads no row of an answer whose ranks have another name, and keeps the answer", async () => {
  await using stage = await openWithPortfolio({ market });
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (passing.target.includes("/keywordrankings")) passing.body = passing.body.replaceAll('"rank"', '"position"');
  });
  const result = await stage.sync({ environment: { API_BASE_URL: proxy.url } });
  expect(result.outcome).toBe("failed");
  const ends = await stage.query(
    `select distinct state, error_code, error_message like '%unknown fields with numbers: position%' as named, rows_loaded,
                     exists (select from raw.answer as a where a.slice_id = s.slice_id) as kept
     from   ops.slice as s where dataset = 'keyword_rank' and operation <> 'dashboard.daily-keyword-rankings' order by state`,
  );
  // where no keyword has a rank, nothing says which field it is
  const unranked = expect.objectContaining({ state: "loaded", rows_loaded: 8 });
  expect(ends).toEqual([
    { state: "failed", error_code: "unknown_shape", named: true, rows_loaded: 0, kept: true },
    unranked,
  ]);
  expect(await stage.query("select distinct path from ops.drift")).toEqual([{ path: "[].position" }]);
});
