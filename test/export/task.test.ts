import { afterEach, beforeEach, expect, test } from "vitest";
import path from "node:path";
import exportTask from "../../jobs/export.ts";
import { openExportStage, sha256, type ExportStage } from "../support/export-stage.ts";

const ranks = "core.fact_keyword_rank";
let stage: ExportStage;
let lines: (readonly unknown[])[];

beforeEach(async () => {
  stage = await openExportStage();
  lines = [];
});
afterEach(() => stage[Symbol.asyncDispose]());

/** Runs the task of the crontab at a time; `now` is called with the writing of each file. */
async function run(now: () => number, halted = new AbortController().signal): Promise<void> {
  const note = (...line: readonly unknown[]) => void lines.push(line);
  const settings = { export: { to: stage.out, tables: [ranks], format: "parquet", s3: {} } };
  await exportTask(
    { clock: { now }, log: { info: note, warn: note }, halted } as never,
    { config: { environment: {}, settings }, warehouse: stage } as never,
  )({}, {} as never);
}

const at = (time: string) => () => Date.parse(time);

test("a stop between two files ends the task with the reason of the stop, and leaves the last good state", async () => {
  for (const month of ["2026-04-01", "2026-05-01"]) await stage.ranks(month, 3);
  await run(at("2026-08-20T01:00Z"));
  const before = await stage.manifest(ranks);
  for (const month of ["2026-04-02", "2026-05-02"]) await stage.ranks(month, 4);
  const stop = new AbortController();
  const reason = new DOMException("the worker stops", "AbortError");
  const first = () => (stop.abort(reason), Date.parse("2026-08-20T02:00Z"));
  await expect(run(first, stop.signal)).rejects.toBe(reason);
  expect(await stage.manifest(ranks)).toEqual(before);
  for (const file of before.files)
    expect(await sha256(path.join(stage.out, "core", "fact_keyword_rank", file.path))).toBe(file.sha256);
  lines = [];
  await run(at("2026-08-20T03:00Z"));
  expect(lines).toEqual([
    [{ table: ranks, files: expect.any(Number) as number, removed: 0, rows: 14 }, "export.table"],
  ]);
});

test("rows that are loaded again into a month that retention removed are logged with the month", async () => {
  await stage.ranks("2026-05-01", 3);
  await run(at("2026-08-20T01:00Z"));
  await stage.pool.query(
    `insert into ops.dropped_month values ('any', $1, '2026-05-01', 'drop', 3, 0, current_user, '2026-08-20 01:30Z', true)`,
    [ranks],
  );
  await stage.pool.query(`delete from ${ranks}`);
  await stage.ranks("2026-05-02", 1);
  lines = [];
  await run(at("2026-08-20T02:00Z"));
  expect(lines).toEqual([[{ table: ranks, months: ["2026-05-01"] }, "export.loaded_again"]]);
});
