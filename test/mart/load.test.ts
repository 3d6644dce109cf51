import { afterAll, beforeAll, expect, test } from "vitest";
import { openMartStage, type MartStage } from "../support/mart-stage.ts";

let mart: MartStage;

beforeAll(async () => {
  mart = await openMartStage();
  await mart.name({ "ios:1": "Ours" });
  await mart.ask(`
    with run as (
      insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-20', '{}', '2026-08-20Z') returning run_id
    )
    insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at, ended_at)
    select s.dataset, 'o', s.scope::jsonb, s.day, s.day + 1, s.day, '', 'daily', s.state, 1, 3, run.run_id, '2026-08-20Z', '2026-08-20Z'
    from   run, (values
      ('keyword_rank', '{"store":"ios","app":"1","country":"US"}', date '2026-08-18', 'loaded'),
      ('keyword_rank', '{"store":"ios","app":"1","country":"US"}', '2026-08-19', 'pending'),
      ('keyword_rank', '{"store":"ios","app":"2","country":"US"}', '2026-08-19', 'empty'),
      ('keyword_rank', '{"store":"ios","app":"3","country":"US"}', '2026-08-19', 'deferred'),
      ('tracked_app', '{}', '2026-08-01', 'loaded')) as s (dataset, scope, day, state)`);
  await mart.ask(`
    insert into ops.request (account_id, attempt, page, dataset, class, operation, params, error_code, cost, duration_ms, byte_count, received_at)
    select 'a', 1, 0, r.dataset, r.class, 'o', '{}', r.code, r.cost, 1, 1, r.at::timestamptz
    from   (values ('keyword_rank', 'daily', null, 3, '2026-08-19 23:59:59Z'), ('keyword_rank', 'daily', 'server_error', 0, '2026-08-19 01:00:00Z'),
                   ('keyword_rank', 'daily', null, 3, '2026-08-20 00:00:00Z'), (null, 'person', null, 1, '2026-08-20 00:00:00Z')) as r (dataset, class, code, cost, at)`);
});
afterAll(() => mart[Symbol.asyncDispose]());

test("freshness reports how far an app is behind the newest day of its dataset", async () => {
  const rows = await mart.ask(`
    select dataset, track_id, app_name, country_code, newest_day, days_behind, open_slice_count from mart.data_freshness order by 1, 2`);
  expect(rows).toEqual([
    "keyword_rank | 1 | Ours | US | 2026-08-18 | 1 | 1",
    "keyword_rank | 2 | - | US | 2026-08-19 | 0 | 0",
    "keyword_rank | 3 | - | US | - | - | 1",
    "tracked_app | - | - | - | 2026-08-01 | 0 | 0",
  ]);
});

test("credits are reported by day in UTC, dataset, operation and class", async () => {
  expect(await mart.ask("select * from mart.credit_spend_daily order by date_day, dataset")).toEqual([
    "2026-08-19 | keyword_rank | o | daily | 2 | 1 | 3",
    "2026-08-20 |  | o | person | 1 | 0 | 1",
    "2026-08-20 | keyword_rank | o | daily | 1 | 0 | 3",
  ]);
});
