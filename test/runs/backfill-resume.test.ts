import { describe, expect, test } from "vitest";
import { countOf } from "../../src/core/words.ts";
import { addDays } from "../../src/core/day.ts";
import { noMoreOfIt } from "../../src/foreground.ts";
import { queueLeftOver } from "../../src/runs/orphans.ts";
import { knownPlan } from "../../src/planner/backfill-plan.ts";
import { planChanges } from "../../src/planner/plan-changes.ts";
import {
  backfillCommand,
  charged,
  openWithPortfolio,
  planned,
  runPlanned,
  progressOf,
} from "../support/backfill-stage.ts";
import { landLast } from "../support/landed-slice.ts";
import { requestedDays, gateAfter, openStage, today, until, callText, type Stage } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { calmRun } from "../support/ingest-witness.ts";

/** Two countries of one app: enough for a plan that is begun and not done. */
const small = { market: { apps: 1, keywordsPerApp: 4 } } as const;

describe("a plan that would be another one by now", () => {
  async function changesOf(stage: Stage, planId: string, settings = {}) {
    await using app = await stage.open({ settings });
    const found = await knownPlan(app.warehouse.db, planId, "");
    return await planChanges(app.warehouse.db, { plan: found, settings: app.config.settings, clock: app.clock });
  }

  test("is refused, says what was loaded meanwhile and where, and leaves nothing behind", async () => {
    await using stage = await openWithPortfolio(small);
    const made = await planned(stage);
    const part = await planned(stage, { countries: ["US"] });
    await runPlanned(stage, part.planId);
    stage.sandbox.clearLog();
    await expect(runPlanned(stage, made.planId)).rejects.toMatchObject({ code: "plan_changed" });
    expect(stage.requested()).toEqual([]);
    expect(await stage.query("select from ops.slice where plan_id = $1", [made.planId])).toEqual([]);
    expect(await stage.query("select from ops.run where plan_id = $1", [made.planId])).toEqual([]);
    const changes = await changesOf(stage, made.planId);
    expect(new Set(changes?.lines.map(({ country }) => country))).toEqual(new Set(["US"]));
    expect(changes?.now).toMatchObject({ credits: made.credits - part.credits });
    expect(changes?.meanwhile).toEqual([{ dataset: "keyword_rank", state: "loaded", slices: part.slices }]);
    // charged for the first time, and just what the contract says
    expect(changes?.prices).toEqual([]);
    const rest = await planned(stage);
    expect(await runPlanned(stage, rest.planId)).toMatchObject({ outcome: "loaded" });
    expect(charged(stage)).toBe(rest.credits);
  });

  test("says which keywords are new and which prices were learned", async () => {
    await using stage = await openWithPortfolio(small);
    const made = await planned(stage);
    await stage.query(
      `insert into ops.credit_cost (operation, documented, learned, last_seen_at)
       values ('ios.keyword-ranking', 3, 4, now())
       on conflict (operation) do update set learned = 4`,
    );
    await using grown = await openStage({ database: stage.databaseUrl, market: { apps: 1, keywordsPerApp: 5 } });
    const tomorrow = addDays(today, 1);
    grown.sandbox.set({ today: tomorrow });
    await grown.sync({ request: { today: tomorrow, datasets: ["tracked_keyword"] } });
    const changes = await changesOf(stage, made.planId);
    expect(changes?.prices).toEqual([{ name: "ios.keyword-ranking", before: null, now: 4 }]);
    expect(changes?.portfolio).toHaveLength(2);
    expect(changes?.portfolio[0]).toMatchObject({ before: 4, now: 5 });
  });

  test("says that the settings changed", async () => {
    await using stage = await openWithPortfolio(small);
    const made = await planned(stage);
    expect(await changesOf(stage, made.planId)).toBeNull();
    const changes = await changesOf(stage, made.planId, { datasets: { keyword_rank: { history_days: 5 } } });
    expect(changes?.settings).toEqual(["keyword_rank"]);
  });

  test("is not refused because the day moved on: its days stay those of its own day", async () => {
    await using stage = await openWithPortfolio(small);
    const made = await planned(stage);
    const later = addDays(today, 3);
    stage.sandbox.set({ today: later });
    expect(await runPlanned(stage, made.planId, { on: later })).toMatchObject({ outcome: "loaded" });
    expect(charged(stage)).toBe(made.credits);
    const requested = await stage.query<{ day: string }>(
      "select distinct to_char(date_day, 'YYYY-MM-DD') as day from core.fact_keyword_rank order by 1",
    );
    expect(requested.map(({ day }) => day)).toEqual(requestedDays());
  });
});

describe("a plan that was begun", () => {
  test("continues where it was stopped, and requests nothing twice", async () => {
    const gate = gateAfter(4);
    await using stage = await openWithPortfolio({ ...small, clock: gate.clock, latencyMs: gate.latencyMs });
    const made = await planned(stage);
    const stop = new AbortController();
    const first = runPlanned(stage, made.planId, { stop: stop.signal });
    await until(() => gate.held() > 0);
    stop.abort();
    gate.open();
    expect((await first).outcome).toBe("interrupted");
    expect((await progressOf(stage, made.planId)).open).toBeGreaterThan(0);
    expect(await runPlanned(stage, made.planId)).toMatchObject({ outcome: "loaded" });
    expect(charged(stage)).toBe(made.credits);
    const callTexts = stage.requested().map(callText);
    expect(new Set(callTexts).size).toBe(callTexts.length);
    expect(await progressOf(stage, made.planId)).toMatchObject({ open: 0, total: made.slices });
  });

  test("is over where a person wants no more of it: what was not sent is cancelled, and is missing again", async () => {
    const gate = gateAfter(4);
    await using stage = await openWithPortfolio({ ...small, clock: gate.clock, latencyMs: gate.latencyMs });
    const made = await planned(stage);
    const stop = new AbortController();
    const first = runPlanned(stage, made.planId, { stop: stop.signal });
    await until(() => gate.held() > 0);
    stop.abort(noMoreOfIt);
    gate.open();
    expect(await first).toMatchObject({ outcome: "interrupted" });
    const spent = charged(stage);
    const { open, total, credits } = await progressOf(stage, made.planId);
    expect({ open, credits }).toEqual({ open: 0, credits: spent });
    expect(total).toBeLessThan(made.slices);
    await using app = await stage.open();
    await queueLeftOver({ ...app, db: app.warehouse.db, accountId: "any" }, app.config.settings);
    expect(await stage.query("select from ops.slice where state in ('pending', 'running', 'deferred')")).toEqual([]);
    expect(await planned(stage)).toMatchObject({ slices: made.slices - total, credits: made.credits - spent });
  });

  test("is over where a person cancels it while workers have it: what was not sent, and would be tried again, is missing again, and what has stored pages is failed", async () => {
    const gate = gateAfter(4);
    await using stage = await openWithPortfolio({ ...small, clock: gate.clock, latencyMs: gate.latencyMs });
    const made = await planned(stage);
    const stop = new AbortController();
    const first = runPlanned(stage, made.planId, { stop: stop.signal });
    await until(() => gate.held() > 0);
    stop.abort();
    gate.open();
    expect(await first).toMatchObject({ outcome: "interrupted" });
    const spent = charged(stage);
    await using app = await stage.open();
    await queueLeftOver({ ...app, db: app.warehouse.db, accountId: "any" }, app.config.settings);
    await stage.query(
      `update ops.slice set state = 'failed', error_code = 'timeout', due_at = now() + interval '1 hour'
       where slice_id = (select min(slice_id) from ops.slice where plan_id = $1 and state = 'pending')`,
      [made.planId],
    );
    await landLast(stage, made.planId);
    const ended = await backfillCommand(stage, ["--plan", made.planId, "--cancel"]);
    const { open, failed, total, credits } = await progressOf(stage, made.planId);
    expect({ open, failed, credits }).toEqual({ open: 0, failed: 1, credits: spent });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toBe(
      `${countOf(made.slices - total, "slice")} of plan ${made.planId} ${made.slices - total === 1 ? "is" : "are"} cancelled, and missing again.\n1 slice of plan ${made.planId} with stored pages is failed now: \`storehouse retry\` fetches pages that are missing or could not be read.\n${countOf(total - 1, "slice")} finished, for ${spent} of ${made.credits} credits.\n`,
    );
    expect(await stage.query("select from ops.slice where state in ('pending', 'running', 'deferred')")).toEqual([]);
    const each = made.credits / made.slices;
    expect(await planned(stage)).toMatchObject({ slices: made.slices - total, credits: made.credits - spent - each });
    expect(charged(stage)).toBe(spent);
  });

  test("that never ran is not cancelled, and the answer says that it can still run", async () => {
    await using stage = await openWithPortfolio(small);
    const { planId } = await planned(stage);
    const ended = await backfillCommand(stage, ["--plan", planId, "--cancel"]);
    expect(ended).toMatchObject({
      code: 0,
      stdout: `Plan ${planId} has never run, so nothing of it waits. It spends nothing unless \`storehouse backfill --plan ${planId}\` runs it.\n`,
    });
  });

  test("goes on after credits ran out, and nothing else goes with it", async () => {
    await using stage = await openWithPortfolio({
      ...small,
      accounts: [{ token: "sandbox-token", total: 2_000, periodHours: 24 * 3_650 }],
    });
    const made = await planned(stage, { countries: ["US"] });
    const other = await planned(stage, { countries: ["JP"] });
    stage.sandbox.spend(stage.sandbox.account().remaining - Math.floor(made.credits / 2));
    expect(await runPlanned(stage, made.planId)).toMatchObject({ outcome: "deferred" });
    await using rich = await openStage({ ...small, database: stage.databaseUrl });
    await rich.query("update ops.credit_account set resets_at = now() - interval '1 hour'");
    expect(await runPlanned(rich, made.planId)).toMatchObject({ outcome: "loaded" });
    expect(charged(stage) + charged(rich)).toBe(made.credits);
    expect(await progressOf(stage, other.planId)).toMatchObject({ total: 0 });
    expect(new Set(rich.requested().map(({ params }) => params["countryCode"]))).toEqual(new Set(["US"]));
  });

  test("never spends more than its price, although answers are lost and requested again", async () => {
    await using stage = await openWithPortfolio(small);
    const made = await planned(stage);
    stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 2, kind: "half" }] });
    const spent = await runPlanned(stage, made.planId);
    expect(spent).toMatchObject({ outcome: "deferred", progress: { deferred: 0 } });
    expect(spent.leftOut).toBe(spent.beyondPrice.cancelled);
    expect(await runPlanned(stage, made.planId)).toMatchObject({ progress: { total: 0 } });
    expect(charged(stage)).toBeLessThanOrEqual(made.credits);
    expect(await stage.sync()).toMatchObject({ outcome: "loaded" });
    expect(await factsOf(stage)).toEqual((await calmRun(small)).facts);
  });

  test("leaves what another run has open in the same days to that run", async () => {
    const gate = gateAfter(3);
    await using stage = await openWithPortfolio(small);
    await using busy = await openStage({
      ...small,
      database: stage.databaseUrl,
      clock: gate.clock,
      latencyMs: gate.latencyMs,
    });
    const first = await planned(busy, { countries: ["US"] });
    const running = runPlanned(busy, first.planId);
    // what was answered is loaded as well: a plan that is made in between would be another one by the time it runs
    const loaded = async () =>
      (await busy.query("select from ops.slice where dataset = 'keyword_rank' and state = 'loaded'")).length;
    await until(async () => gate.held() > 0 && (await loaded()) === busy.requested().length);
    const rest = await planned(stage, { reprocess: "all" });
    expect(new Set(rest.lines.filter(({ slices }) => slices > 0).map(({ country }) => country))).toContain("JP");
    await runPlanned(stage, rest.planId);
    gate.open();
    expect(await running).toMatchObject({ outcome: "loaded" });
    const callTexts = [...stage.requested(), ...busy.requested()]
      .filter(({ operation }) => operation?.includes("keyword-"))
      .map(callText);
    // only what had been loaded before the second plan was made may be requested once more
    expect(callTexts.length - new Set(callTexts).size).toBeLessThanOrEqual(3);
  });

  test("is run once by two that start it at the same moment", async () => {
    await using stage = await openWithPortfolio({ ...small, latencyMs: 3 });
    const made = await planned(stage);
    const ends = await Promise.all([runPlanned(stage, made.planId), runPlanned(stage, made.planId)]);
    expect(ends.map(({ outcome }) => outcome)).toEqual(["loaded", "loaded"]);
    expect(charged(stage)).toBe(made.credits);
    expect(await statesOf(stage)).toMatchObject({ loaded: expect.any(Number) });
  });
});
