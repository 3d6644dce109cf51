import { beforeAll, expect, test } from "vitest";
import { openStage, type Stage } from "../support/ingest-stage.ts";
import { calmRun, expectCalm, type Calm } from "../support/ingest-witness.ts";

const market = { apps: 2, countries: ["US"] };

let calm: Calm;

beforeAll(async () => {
  calm = await calmRun({ market });
});

/** Lets the first statements that write to a table fail with a code of Postgres. */
async function interrupt(stage: Stage, table: string, { code, times }: { code: string; times: number }): Promise<void> {
  await stage.query("create sequence public.interrupted");
  await stage.query(`
    create function public.interrupt() returns trigger language plpgsql as $$
    begin
      if nextval('public.interrupted') <= ${times} then
        raise exception 'canceling statement due to user request' using errcode = '${code}';
      end if;
      return new;
    end $$`);
  await stage.query(
    `create trigger interrupt before insert on ${table} for each row when (new.slice_id is not null) execute function public.interrupt()`,
  );
}

// a plan, a paid answer, and the load of one
test.each([
  ["57014", "ops.slice"],
  ["57014", "ops.request"],
  ["57014", "core.fact_keyword_rank"],
  ["53200", "core.fact_keyword_rank"],
])("runs a statement again that Postgres ended with %s while it wrote to %s", async (code, table) => {
  await using stage = await openStage({ market });
  await interrupt(stage, table, { code, times: 3 });
  expect(await stage.sync()).toMatchObject({ outcome: "loaded", progress: { failed: 0 } });
  expect((await stage.query("select last_value::int as runs from public.interrupted"))[0]?.["runs"]).toBeGreaterThan(3);
  await expectCalm(stage, calm, 0);
});

test("ends slices whose load Postgres cancels each time, and a retry loads their stored answers", async () => {
  await using stage = await openStage({ market });
  await interrupt(stage, "core.fact_keyword_rank", { code: "57014", times: 1_000_000 });
  expect(await stage.sync()).toMatchObject({ outcome: "failed" });
  expect(
    await stage.query("select distinct error_code, due_at is not null as tried from ops.slice where state = 'failed'"),
  ).toEqual([{ error_code: "database_interrupted", tried: true }]);
  await stage.query("drop function public.interrupt cascade");
  expect(await stage.retry()).toMatchObject({ outcome: "loaded" });
  await expectCalm(stage, calm, 0);
});

test("buys no answer again that Postgres refuses to store each time", async () => {
  await using stage = await openStage({ market });
  await interrupt(stage, "ops.request", { code: "53200", times: 1_000_000 });
  expect(await stage.sync()).toMatchObject({ outcome: "failed" });
  expect(await stage.query("select error_code, due_at from ops.slice where state = 'failed'")).toEqual([
    { error_code: "unexpected", due_at: null },
  ]);
  expect(stage.requested()).toHaveLength(1);
});
