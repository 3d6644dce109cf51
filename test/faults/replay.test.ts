import { afterAll, beforeAll, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { runCommand } from "../support/command.ts";
import { startChild, type Behind } from "../support/ingest-child.ts";
import { openStage, today, until, type Stage } from "../support/ingest-stage.ts";
import { holdWrites } from "../support/hold-writes.ts";
import { factsOf, tablesOf } from "../support/ingest-tables.ts";
import { long } from "../support/long.ts";
import { eachWay } from "../support/replay-stage.ts";

/** Every row of every table in core as it stands, with its surrogate keys, slice and time of receipt. */
async function bytesOf(stage: Stage): Promise<Record<string, unknown>> {
  const bytes: Record<string, unknown> = {};
  for (const name of await tablesOf(stage))
    bytes[name] = (await stage.query(`select t::text as row from ${name} as t order by 1`)).map(({ row }) => row);
  return bytes;
}

/** Two days of each way in which tables are loaded; in the long run of every dataset. */
async function load(stage: Stage): Promise<void> {
  const all = long ? datasets.map(({ name }) => name) : eachWay;
  for (const day of [today, addDays(today, 1)]) {
    stage.sandbox.set({ today: day });
    await stage.sync({ request: { datasets: all, today: day } });
  }
}

/** Where nobody listens. */
const nowhere = { url: "http://127.0.0.1:1", token: "sandbox-token" };

let stage: Stage;

beforeAll(async () => {
  // both stores, and answers in every dataset that is loaded
  stage = await openStage({ market: { apps: 2, countries: ["US"], keywordsPerApp: 3, organicKeywords: 2 } });
  await load(stage);
  await stage.sandbox[Symbol.asyncDispose]();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** The tables whose writing a kill breaks off, in the order in which a replay comes to them. */
const killedIn = long ? ["core.dim_app", "core.fact_keyword_rank"] : ["core.fact_keyword_rank"];

test("leaves the old rows of a table when it is killed while it writes it, and rebuilds every table with the network off when it is run again: equal by what they say and to the byte, and no request", async () => {
  const before = { facts: await factsOf(stage), bytes: await bytesOf(stage) };
  const requests = await stage.query("select count(*) from ops.request");
  await stage.query("truncate core.fact_top_keyword");
  await stage.query("update core.dim_app set app_name = 'somebody wrote here' where fetched_at is not null");
  const spoilt = await bytesOf(stage);
  const behind: Behind = { databaseUrl: stage.databaseUrl, sandbox: nowhere };
  // it goes on where it was killed
  for (const table of killedIn) {
    {
      await using holder = await holdWrites(stage, table);
      await using child = startChild(behind, ["replay"]);
      await until(async () => (await holder.waiting()).length > 0);
      child.process.kill("SIGKILL");
      expect(await child.ended).toBe("SIGKILL");
      for (const { pid } of await holder.waiting()) await stage.query("select pg_terminate_backend($1, 5000)", [pid]);
    }
    // it had not come to the end of this one; others are as they were, or rebuilt
    for (const [name, bytes] of Object.entries(await bytesOf(stage)))
      expect([name === table ? [] : before.bytes[name], spoilt[name]]).toContainEqual(bytes);
  }
  await stage.query(
    `delete from core.fact_keyword_rank
     where  slice_id = (select slice_id from core.fact_keyword_rank order by fetched_at desc nulls last limit 1)`,
  );
  expect(spoilt).not.toEqual(before.bytes);
  expect(await runCommand(behind, ["replay"])).toMatchObject({ code: 0 });
  expect({ facts: await factsOf(stage), bytes: await bytesOf(stage) }).toEqual(before);
  expect(await stage.query("select count(*) from ops.request")).toEqual(requests);
});

test("rebuilds a part again whose connection broke", async () => {
  const before = { facts: await factsOf(stage), bytes: await bytesOf(stage) };
  await stage.query("truncate core.fact_keyword_rank");
  const behind: Behind = { databaseUrl: stage.databaseUrl, sandbox: nowhere };
  let replaying;
  {
    await using holder = await holdWrites(stage, "core.fact_keyword_rank");
    replaying = runCommand(behind, ["replay"]);
    await until(async () => (await holder.waiting()).length > 0);
    for (const { pid } of await holder.waiting()) await stage.query("select pg_terminate_backend($1, 5000)", [pid]);
  }
  expect(await replaying).toMatchObject({ code: 0 });
  expect({ facts: await factsOf(stage), bytes: await bytesOf(stage) }).toEqual(before);
});
