import { expect, test } from "vitest";
import { prunable, pruneRaw } from "../../src/raw/prune.ts";
import { openStage } from "../support/ingest-stage.ts";

test("deletes old answers of loaded slices, and keeps young ones and those of slices that are not loaded", async () => {
  await using stage = await openStage();
  await stage.sync({ request: { datasets: ["tracked_keyword"] } });
  const [first, second, third] = await stage.query<{ answer_id: string; slice_id: string }>(
    "select answer_id, slice_id from raw.answer order by answer_id limit 3",
  );
  await stage.query("update raw.answer set fetched_at = '2020-01-01Z' where answer_id = any ($1)", [
    [first!.answer_id, second!.answer_id],
  ]);
  await stage.query("update ops.slice set state = 'failed' where slice_id = $1", [second!.slice_id]);
  await using app = await stage.open();
  const would = await prunable(app.warehouse.db, Date.UTC(2021, 0));
  expect(would).toMatchObject({ answers: 1, datasets: [{ dataset: "tracked_app", answers: 1 }] });
  expect(await pruneRaw(app.warehouse.db, Date.UTC(2021, 0))).toEqual(would);
  const left = await stage.query<{ answer_id: string }>("select answer_id from raw.answer order by answer_id limit 2");
  expect(left.map(({ answer_id }) => answer_id)).toEqual([second!.answer_id, third!.answer_id]);
});

test("deletes old answers of skipped slices, from which nothing is loaded, except held ones", async () => {
  await using stage = await openStage({ market: { apps: 1 } });
  await stage.sync({ request: { datasets: ["tracked_keyword"] } });
  await stage.query("update raw.answer set fetched_at = '2020-01-01Z'");
  await stage.query(`
    update ops.slice set state = 'skipped',
           error_code = (array['not_tracked', 'not_kept', 'answer_held'])[1 + slice_id % 3]`);
  const kinds = () =>
    stage.query("select distinct s.error_code from raw.answer as a join ops.slice as s using (slice_id) order by 1");
  expect(await kinds()).toHaveLength(3);
  await using app = await stage.open();
  await pruneRaw(app.warehouse.db, Date.UTC(2021, 0));
  expect(await kinds()).toEqual([{ error_code: "answer_held" }]);
});

test("deletes old answers to callers of the gateway of which no table was made", async () => {
  await using stage = await openStage({ market: { apps: 1 } });
  await stage.query(`
    insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at)
    select 1, null, 0, 0, 'ios.keyword-metadata', 'abc', 3, at from unnest('{2020-01-01Z,2022-01-01Z}'::timestamptz[]) as t (at)`);
  await using app = await stage.open();
  const would = await prunable(app.warehouse.db, Date.UTC(2021, 0));
  expect(would.datasets).toEqual([{ dataset: "gateway", answers: 1, bytes: 3, from: "2020-01-01", to: "2020-01-01" }]);
  expect(await pruneRaw(app.warehouse.db, Date.UTC(2021, 0))).toEqual(would);
  expect(await stage.query("select count(*)::int as answers from raw.answer")).toEqual([{ answers: 1 }]);
});

test("keeps the pages of an answer together, since half of one cannot be replayed", async () => {
  await using stage = await openStage({ market: { apps: 1 } });
  await stage.sync({ request: { datasets: ["tracked_app"] } });
  await stage.query("update raw.answer set fetched_at = '2020-01-01Z'");
  await stage.query(`
    insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at)
    select request_id, slice_id, attempt, 1, operation, body, byte_count, '2022-01-01Z' from raw.answer`);
  await using app = await stage.open();
  expect(await pruneRaw(app.warehouse.db, Date.UTC(2021, 0))).toEqual({ answers: 0, bytes: 0, datasets: [] });
  expect(await pruneRaw(app.warehouse.db, Date.UTC(2023, 0))).toMatchObject({ answers: 2 });
});
