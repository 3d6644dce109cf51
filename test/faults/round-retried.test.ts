import pg from "pg";
import { expect, test } from "vitest";
import { gateAfter, openStage, until, callText } from "../support/ingest-stage.ts";

const datasets = { app_version: { on: true }, app_history: { on: true }, keyword_rank: { on: false } };

test("a plan whose connection breaks once its slices are queued is made again when they are loaded, since the next one is made from them", async () => {
  // the balance check goes through, versions of apps wait
  const gate = gateAfter(1);
  await using stage = await openStage({ clock: gate.clock, latencyMs: gate.latencyMs });
  const apps = stage.sandbox.market.apps.map(({ trackId }) => ({ id: trackId, countries: ["US"], keywords: [] }));
  const settings = { portfolio: { source: "config" as const, apps }, datasets };
  await using stack = new AsyncDisposableStack();
  const other = stack.adopt(new pg.Client({ connectionString: stage.databaseUrl }), (one) => one.end());
  await other.connect();
  let isLocked = false;
  let isBroken = false;
  const at = async () => {
    if (isLocked) return;
    isLocked = true;
    await other.query("begin; lock table ops.dataset_timing in exclusive mode");
  };
  const ended = stage.sync({ settings, crashPoint: at, progress: () => (isBroken ? gate.open() : undefined) });
  const waiting = "select pid from pg_locks where relation = 'ops.dataset_timing'::regclass and not granted";
  await until(async () => (await stage.query(waiting)).length > 0 && gate.held() === apps.length);
  isBroken = true;
  await stage.query(`select pg_terminate_backend(pid) from (${waiting}) as one`);
  await other.query("rollback");
  expect(await ended).toMatchObject({ outcome: "loaded" });
  const pages = stage.requested().filter(({ operation }) => operation?.endsWith(".app-detail"));
  expect(pages.map(callText)).toHaveLength(apps.length);
});
