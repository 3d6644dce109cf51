import { beforeAll, expect, test } from "vitest";
import type { Row } from "../../src/load/table.ts";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);
let count = 0;

function review(app_key: string, reviewed_at: string, rating: number | null, more: Row = {}): Row {
  count += 1;
  return {
    app_key,
    reviewed_at,
    rating,
    review_id: String(count),
    source: "v2",
    country_key: "US",
    language_code: "",
    ...more,
  };
}

beforeAll(async () => {
  await mart.fill("core.review", [
    review("ios:1", "2026-08-01T00:00:00", 1, { is_replied: true }),
    review("ios:1", "2026-08-01T23:59:59.999", 4, { is_replied: false }),
    review("ios:1", "2026-08-01T12:00:00", null),
    review("ios:1", "2026-08-01T12:00:00", 5, { country_key: "JP" }),
    review("ios:1", "2026-08-05T12:00:00", 5),
    // the same reviews as the other list of the store has them
    review("ios:1", "2026-08-01T00:00:00", 1, { source: "plain" }),
    review("ios:2", "2026-08-01T00:00:00", 2, { source: "plain" }),
    // the plain list was loaded before v2 was, and goes on for another country
    review("ios:3", "2026-07-31T23:59:59", 1, { source: "plain" }),
    review("ios:3", "2026-08-01T00:00:00", 2, { source: "plain" }),
    review("ios:3", "2026-08-01T23:59:59", 4),
    review("ios:3", "2026-08-01T12:00:00", 5, { source: "plain", country_key: "JP" }),
    review("android:a", "2026-08-01T00:00:00", 3, { country_key: "ALL", language_code: "en", version: "2.0.0" }),
    review("android:a", "2026-08-01T00:00:00", 5, { country_key: "ALL", language_code: "de", version: "2.0.0" }),
    review("android:a", "2026-08-01T00:00:00", 1, { country_key: "ALL", language_code: "en", version: "" }),
  ]);
  const release = (app_key: string, version: string, version_at: string, country_key = "US") => ({
    app_key,
    version,
    version_at,
    country_key,
  });
  await mart.fill("core.app_version", [
    release("ios:1", "1.0.0", "2026-08-01T06:00:00"),
    release("ios:1", "1.1.0", "2026-08-05T12:00:00"),
    release("ios:1", "1.1.0", "2026-08-06T12:00:00", "JP"),
    // of two that came out at one instant the higher number stands
    release("ios:3", "3.1", "2026-08-01T00:00:00"),
    release("ios:3", "3.0", "2026-08-01T00:00:00"),
    release("android:a", "2.0.0", "2026-07-01T06:00:00", "ALL"),
  ]);
  await mart.name({ "ios:1": "Ours", "ios:2": "Plain", "ios:3": "Switched", "android:a": "Other store" });
});

test("reviews are counted by day, country and language, each once though two lists report it, and none lost that one of them alone reports", async () => {
  const rows = await mart.ask(`
    select app_name, country_code, language_code, date_day, review_source, review_count, rated_review_count, rating_sum, average_rating, one_star_count,
           four_star_count, five_star_count, replied_review_count, reply_known_review_count, replied_share
    from   mart.review_daily order by 1, 2, 3, 4`);
  expect(rows).toEqual([
    "Other store | ALL | de | 2026-08-01 | v2 | 1 | 1 | 5 | 5 | 0 | 0 | 1 | 0 | 0 | -",
    "Other store | ALL | en | 2026-08-01 | v2 | 2 | 2 | 4 | 2 | 1 | 0 | 0 | 0 | 0 | -",
    "Ours | JP |  | 2026-08-01 | v2 | 1 | 1 | 5 | 5 | 0 | 0 | 1 | 0 | 0 | -",
    "Ours | US |  | 2026-08-01 | v2 | 3 | 2 | 5 | 2.5 | 1 | 1 | 0 | 1 | 2 | 0.5",
    "Ours | US |  | 2026-08-05 | v2 | 1 | 1 | 5 | 5 | 0 | 0 | 1 | 0 | 0 | -",
    "Plain | US |  | 2026-08-01 | plain | 1 | 1 | 2 | 2 | 0 | 0 | 0 | 0 | 0 | -",
    "Switched | JP |  | 2026-08-01 | plain | 1 | 1 | 5 | 5 | 0 | 0 | 1 | 0 | 0 | -",
    "Switched | US |  | 2026-07-31 | plain | 1 | 1 | 1 | 1 | 1 | 0 | 0 | 0 | 0 | -",
    "Switched | US |  | 2026-08-01 | v2 | 1 | 1 | 4 | 4 | 0 | 1 | 0 | 0 | 0 | -",
  ]);
});

test("a version is reported on Android; on iOS it is the newest one out at that instant, and marked as inferred", async () => {
  const rows = await mart.ask(`
    select app_name, country_code, language_code, version, is_version_inferred, inferred_review_count, released_at is not null as is_listed, first_review_day, last_review_day,
           review_count, average_rating
    from   mart.review_by_version order by 1, 2, 3, 4`);
  expect(rows).toEqual([
    "Other store | ALL | de | 2.0.0 | false | 0 | true | 2026-08-01 | 2026-08-01 | 1 | 5",
    // one review names the version, of the other it is inferred
    "Other store | ALL | en | 2.0.0 | true | 1 | true | 2026-08-01 | 2026-08-01 | 2 | 2",
    "Ours | JP |  | 1.0.0 | true | 1 | true | 2026-08-01 | 2026-08-01 | 1 | 5",
    "Ours | US |  |  | false | 0 | false | 2026-08-01 | 2026-08-01 | 1 | 1",
    "Ours | US |  | 1.0.0 | true | 2 | true | 2026-08-01 | 2026-08-01 | 2 | 4",
    "Ours | US |  | 1.1.0 | true | 1 | true | 2026-08-05 | 2026-08-05 | 1 | 5",
    "Plain | US |  |  | false | 0 | false | 2026-08-01 | 2026-08-01 | 1 | 2",
    "Switched | JP |  | 3.1 | true | 1 | true | 2026-08-01 | 2026-08-01 | 1 | 5",
    "Switched | US |  |  | false | 0 | false | 2026-07-31 | 2026-07-31 | 1 | 1",
    "Switched | US |  | 3.1 | true | 1 | true | 2026-08-01 | 2026-08-01 | 1 | 4",
  ]);
});

test("reviews are there to read, each once, with names, and whether they are answered where that is known", async () => {
  expect(
    await mart.ask(`
      select app_name, country_name, language_code, date_day, rating, version, is_replied, review_source from mart.review_text
      where  app_name in ('Ours', 'Other store') order by 1, 2, reviewed_at, rating`),
  ).toEqual([
    "Other store | All countries | en | 2026-08-01 | 1 | - | - | v2",
    "Other store | All countries | en | 2026-08-01 | 3 | 2.0.0 | - | v2",
    "Other store | All countries | de | 2026-08-01 | 5 | 2.0.0 | - | v2",
    "Ours | Japan |  | 2026-08-01 | 5 | - | - | v2",
    "Ours | United States |  | 2026-08-01 | 1 | - | true | v2",
    "Ours | United States |  | 2026-08-01 | - | - | - | v2",
    "Ours | United States |  | 2026-08-01 | 4 | - | false | v2",
    "Ours | United States |  | 2026-08-05 | 5 | - | - | v2",
  ]);
});

test("a day that was requested and has no review counts 0, and a day that was not requested has no row", async () => {
  await mart.ask(
    "insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-08', '{}', '2026-08-08Z')",
  );
  await mart.ask(`
    with list as (insert into ops.batch (items, digest) values ('{JP,US}', 'reviews') returning batch_id)
    insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits,
                           run_id, created_at)
    select 'review', 'o', s.scope::jsonb, case when s.has_list then batch_id end, s.first_day, s.first_day + s.days, s.first_day, '', 'daily', s.state, 1, 5,
           run_id, s.first_day
    from   ops.run, list, (values
      ('{"store":"ios","app":"1","source":"v2"}', true, date '2026-08-01', 3, 'loaded'),
      ('{"store":"ios","app":"1","source":"v2"}', true, '2026-08-03', 2, 'empty'),
      -- an answer that is missing says nothing of its days
      ('{"store":"ios","app":"1","source":"v2"}', true, '2026-08-06', 1, 'failed'),
      ('{"store":"ios","app":"3","source":"v2","regions":"all"}', false, '2026-08-01', 2, 'loaded'),
      ('{"store":"android","app":"a","source":"plain"}', false, '2026-07-31', 2, 'loaded'),
      -- of replied and other reviews: the 2nd has both answers; only one kind, and only some languages, are a part of the reviews
      ('{"store":"android","app":"8","source":"v2","replied":"yes"}', false, '2026-08-01', 2, 'empty'),
      ('{"store":"android","app":"8","source":"v2","replied":"no"}', false, '2026-08-01', 1, 'failed'),
      ('{"store":"android","app":"8","source":"v2","replied":"no"}', false, '2026-08-02', 2, 'empty'),
      ('{"store":"android","app":"7","source":"v2","replied":"yes"}', false, '2026-08-01', 1, 'empty'),
      ('{"store":"android","app":"6","source":"v2"}', true, '2026-08-01', 1, 'empty'),
      ('{"store":"ios","app":"9","source":"v2","regions":"all"}', false, '2026-08-01', 1, 'empty')) as s (scope, has_list, first_day, days, state)`);
  await mart.name({
    "ios:9": "Never reviewed",
    "android:6": "Some languages",
    "android:7": "Replied alone",
    "android:8": "Apart",
  });
  // answered ones are there, the others are not yet; and some languages never are all
  await mart.fill("core.review", [
    review("android:8", "2026-08-01T12:00:00", 5, { country_key: "ALL", language_code: "en", is_replied: true }),
    review("android:6", "2026-08-01T12:00:00", 5, { country_key: "ALL", language_code: "en" }),
  ]);
  expect(
    await mart.ask(`
      select app_name, date_day, review_count, is_answered from mart.review_daily
      where  app_name in ('Apart', 'Some languages') or app_name = 'Ours' and country_code = 'US' order by 1, 2`),
  ).toEqual([
    "Apart | 2026-08-01 | 1 | false",
    "Apart | 2026-08-02 | 0 | true",
    "Ours | 2026-08-01 | 3 | true",
    "Ours | 2026-08-02 | 0 | true",
    "Ours | 2026-08-03 | 0 | true",
    "Ours | 2026-08-04 | 0 | true",
    "Ours | 2026-08-05 | 1 | false",
    "Some languages | 2026-08-01 | 1 | false",
  ]);
  expect(
    await mart.ask(`
      select app_name, country_code, language_code, date_day, review_source, review_count, rated_review_count, rating_sum, average_rating, one_star_count
      from   mart.review_daily where app_name in ('Ours', 'Other store', 'Switched', 'Never reviewed', 'Some languages', 'Replied alone', 'Apart') order by 1, 2, 4, 3`),
  ).toEqual([
    "Apart | ALL | en | 2026-08-01 | v2 | 1 | 1 | 5 | 5 | 0",
    "Apart | ALL |  | 2026-08-02 | - | 0 | 0 | 0 | - | 0",
    "Never reviewed | ALL |  | 2026-08-01 | - | 0 | 0 | 0 | - | 0",
    "Other store | ALL |  | 2026-07-31 | - | 0 | 0 | 0 | - | 0",
    "Other store | ALL | de | 2026-08-01 | v2 | 1 | 1 | 5 | 5 | 0",
    "Other store | ALL | en | 2026-08-01 | v2 | 2 | 2 | 4 | 2 | 1",
    "Ours | JP |  | 2026-08-01 | v2 | 1 | 1 | 5 | 5 | 0",
    "Ours | JP |  | 2026-08-02 | - | 0 | 0 | 0 | - | 0",
    "Ours | JP |  | 2026-08-03 | - | 0 | 0 | 0 | - | 0",
    "Ours | JP |  | 2026-08-04 | - | 0 | 0 | 0 | - | 0",
    "Ours | US |  | 2026-08-01 | v2 | 3 | 2 | 5 | 2.5 | 1",
    "Ours | US |  | 2026-08-02 | - | 0 | 0 | 0 | - | 0",
    "Ours | US |  | 2026-08-03 | - | 0 | 0 | 0 | - | 0",
    "Ours | US |  | 2026-08-04 | - | 0 | 0 | 0 | - | 0",
    "Ours | US |  | 2026-08-05 | v2 | 1 | 1 | 5 | 5 | 0",
    "Some languages | ALL | en | 2026-08-01 | v2 | 1 | 1 | 5 | 5 | 0",
    // of all countries: those in which the app has reviews
    "Switched | JP |  | 2026-08-01 | plain | 1 | 1 | 5 | 5 | 0",
    "Switched | JP |  | 2026-08-02 | - | 0 | 0 | 0 | - | 0",
    "Switched | US |  | 2026-07-31 | plain | 1 | 1 | 1 | 1 | 1",
    "Switched | US |  | 2026-08-01 | v2 | 1 | 1 | 4 | 4 | 0",
    "Switched | US |  | 2026-08-02 | - | 0 | 0 | 0 | - | 0",
  ]);
});

test("of a day of both lists the one counts whose answer has all reviews, in every mart; v2 where both have, or neither", async () => {
  await mart.ask(`
    insert into ops.dataset_timing (dataset, scope, is_default, kind, settle_days, lookback_days, history_days)
    values ('review', 'null', true, 'series', 1, 3, 30)`);
  const day = "2026-09-10";
  const both = (app_key: string, of: string, [paged, plain]: readonly [number, number], more: Row = {}) => [
    ...Array.from({ length: paged }, () => review(app_key, `${of}T08:00:00`, 1, more)),
    ...Array.from({ length: plain }, () => review(app_key, `${of}T08:00:00`, 5, { source: "plain", ...more })),
  ];
  await mart.fill("core.review", [
    ...both("ios:11", day, [1, 2]),
    // the plain list has none of this country, and v2 none of the other day
    ...both("ios:11", day, [1, 0], { country_key: "JP" }),
    ...both("ios:11", "2026-09-09", [0, 2]),
    ...both("ios:12", "2026-09-08", [1, 2]),
    ...both("ios:12", "2026-09-09", [1, 2]),
    ...both("ios:12", day, [1, 2]),
    ...["ios:13", "ios:14", "ios:15", "ios:16"].flatMap((app) => both(app, day, [1, 2])),
    ...both("android:17", day, [1, 2], { country_key: "ALL", language_code: "en" }),
  ]);
  await mart.fill(
    "core.app_version",
    ["11", "12", "13", "14", "15", "16"].map((app) => ({
      app_key: `ios:${app}`,
      version: "1.0",
      version_at: "2026-09-07T06:00:00",
      country_key: "US",
    })),
  );
  await mart.name(Object.fromEntries(["11", "12", "13", "14", "15", "16"].map((app) => [`ios:${app}`, `Both ${app}`])));
  await mart.name({ "android:17": "Both 17" });
  await mart.ask(`
    insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits,
                           run_id, created_at)
    select 'review', 'o', jsonb_strip_nulls(jsonb_build_object('store', split_part(s.app, ':', 1), 'app', split_part(s.app, ':', 2), 'source', s.source, 'replied', s.replied)),
           b.batch_id, s.first_day, s.end_day, s.as_of, '', 'daily', s.state, 1, 5, run_id, s.as_of
    from   ops.run, (values
      -- only those with a reply
      ('ios:11', 'v2', 'yes', date '2026-09-08', date '2026-09-11', date '2026-09-20', 'loaded'),
      ('ios:11', 'plain', null, '2026-09-08', '2026-09-11', '2026-09-20', 'loaded'),
      -- another list from one night to the next: the day after a window is requested with it, and the newest days may lack reviews
      ('ios:12', 'v2', null, '2026-09-06', '2026-09-10', '2026-09-10', 'loaded'),
      ('ios:12', 'plain', null, '2026-09-07', '2026-09-11', '2026-09-11', 'loaded'),
      ('ios:12', 'plain', null, '2026-09-08', '2026-09-09', '2026-09-12', 'loaded'),
      -- those with a reply and the others apart
      ('ios:13', 'v2', 'yes', '2026-09-10', '2026-09-11', '2026-09-20', 'loaded'),
      ('ios:13', 'v2', 'no', '2026-09-10', '2026-09-11', '2026-09-20', 'loaded'),
      ('ios:13', 'plain', null, '2026-09-10', '2026-09-11', '2026-09-20', 'loaded'),
      ('ios:14', 'v2', 'yes', '2026-09-10', '2026-09-11', '2026-09-20', 'loaded'),
      ('ios:14', 'v2', 'no', '2026-09-10', '2026-09-11', '2026-09-20', 'failed'),
      ('ios:14', 'plain', null, '2026-09-10', '2026-09-11', '2026-09-20', 'loaded'),
      -- all of both
      ('ios:15', 'v2', null, '2026-09-10', '2026-09-11', '2026-09-20', 'loaded'),
      ('ios:15', 'plain', null, '2026-09-10', '2026-09-11', '2026-09-20', 'loaded'),
      -- a part of both
      ('ios:16', 'v2', 'yes', '2026-09-10', '2026-09-11', '2026-09-20', 'loaded'),
      ('ios:16', 'plain', null, '2026-09-10', '2026-09-11', '2026-09-20', 'failed'),
      ('android:17', 'v2', 'no', '2026-09-10', '2026-09-11', '2026-09-20', 'loaded'),
      ('android:17', 'plain', null, '2026-09-10', '2026-09-11', '2026-09-20', 'loaded')) as s (app, source, replied, first_day, end_day, as_of, state)
    left   join ops.batch as b on b.digest = 'reviews' and s.app like 'ios:%'`);
  const daily = await mart.ask(`
    select app_name, country_code, date_day, review_source, sum(review_count), bool_and(is_answered) from mart.review_daily
    where  app_name like 'Both %' and review_count > 0 group by 1, 2, 3, 4 order by 1, 2, 3`);
  expect(daily).toEqual([
    "Both 11 | JP | 2026-09-10 | v2 | 1 | true",
    "Both 11 | US | 2026-09-09 | plain | 2 | true",
    "Both 11 | US | 2026-09-10 | plain | 2 | true",
    "Both 12 | US | 2026-09-08 | plain | 2 | true",
    "Both 12 | US | 2026-09-09 | v2 | 1 | true",
    "Both 12 | US | 2026-09-10 | plain | 2 | true",
    "Both 13 | US | 2026-09-10 | v2 | 1 | true",
    "Both 14 | US | 2026-09-10 | plain | 2 | true",
    "Both 15 | US | 2026-09-10 | v2 | 1 | true",
    "Both 16 | US | 2026-09-10 | v2 | 1 | false",
    "Both 17 | ALL | 2026-09-10 | plain | 2 | true",
  ]);
  const same = (query: string) => mart.ask(query.replaceAll("OURS", "app_name like 'Both %'"));
  expect(
    await same(
      "select app_name, country_code, date_day, review_source, count(*), true from mart.review_text where OURS group by 1, 2, 3, 4 order by 1, 2, 3",
    ),
  ).toEqual(daily.map((line) => line.replace("false", "true")));
  expect(
    await same(
      "select app_name, country_code, date_day, review_count from mart.app_overview_daily where OURS and review_count > 0 order by 1, 2, 3",
    ),
  ).toEqual(daily.map((line) => line.replace(/ \| (v2|plain)/, "").replace(/ \| (true|false)$/, "")));
  expect(
    await same(
      "select app_name, country_code, sum(review_count) from mart.review_by_version where OURS and country_code = 'US' group by 1, 2 order by 1",
    ),
  ).toEqual(
    ["11 | US | 4", "12 | US | 5", "13 | US | 1", "14 | US | 2", "15 | US | 1", "16 | US | 1"].map(
      (line) => `Both ${line}`,
    ),
  );
  expect(
    await same(
      "select app_name, after_review_count from mart.release_impact where OURS and country_code = 'US' and window_day_count = 7 order by 1",
    ),
  ).toEqual(["11 | 4", "12 | 5", "13 | 1", "14 | 2", "15 | 1", "16 | -"].map((line) => `Both ${line}`));
});
