import pg from "pg";
import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import {
  clientOf,
  openConsoleStage,
  operatorPassword,
  untilShown,
  viewerPassword,
  withPasswords,
} from "../support/console-stage.ts";
import { today } from "../support/ingest-stage.ts";

/** A warehouse in which an answer without any app is held, and an operator of its console. */
async function openHeld() {
  const stage = await openConsoleStage();
  const { sandbox, sync } = stage.stage;
  const next = addDays(today, 1);
  const body = JSON.stringify({ success: true, data: [] });
  const emptied = { operation: "dashboard.apps", times: 9, kind: "status", status: 200, charge: true, body } as const;
  sandbox.set({ today: next, faults: [emptied] });
  await sync({ request: { datasets: ["tracked_app"], today: next } });
  return stage;
}

const boundIn = (text: string) => /name="bound" value="([^"]*)"/.exec(text)?.[1] ?? "";

test("an answer that is held a moment after a person agreed to others is not applied with them", async () => {
  await using stage = await openHeld();
  const { query } = stage.stage;
  const ann = clientOf(await stage.start());
  await ann.get("/portfolio/1/US");
  const bound = boundIn((await ann.post("/actions/held", {})).text);
  // what the agreement is about was shown, and it is not on record yet
  const holding = new pg.Client({ connectionString: stage.granted.adminUrl });
  await holding.connect();
  await holding.query("begin; lock table ops.audit in exclusive mode");
  const pressed = ann.post("/actions/held", { agreed: "0", bound });
  const waiting = "select count(*)::text as n from pg_locks where relation = 'ops.audit'::regclass and not granted";
  await untilShown(async () => (await holding.query<{ n: string }>(waiting)).rows[0]?.n ?? "", /^1$/);
  await holding.query(
    `insert into ops.held_answer (slice_id, dataset, scope, date_day, held_at, current_count, closing)
     select slice_id, dataset, scope, window_start, now(), 3, '{a,b}' from ops.slice where dataset = 'tracked_country' limit 1; commit`,
  );
  await holding.end();
  const { status, text } = await pressed;
  expect([status, text]).toEqual([400, expect.stringContaining("the held answers have changed since they were shown")]);
  expect(await query("select outcome from ops.held_answer")).toEqual([{ outcome: null }, { outcome: null }]);
  expect(await query("select from core.tracked_app where is_current")).not.toEqual([]);
  expect(await stage.lastDeed("held")).toMatchObject({ outcome: "failed" });
});

test("a held answer leads to what it would close, and is applied once an operator has agreed to that", async () => {
  await using stage = await openHeld();
  const { query } = stage.stage;
  await query(
    `insert into ops.incident (kind, subject, account_id, summary, detail, opened_at, last_seen_at)
     values ('answer_held', 'tracked_app', '', 'an answer is held', '{}', now(), now())`,
  );
  const served = await stage.start(withPasswords);
  const [ann, vic] = [clientOf(served), clientOf(served)];
  await ann.signIn(operatorPassword, "Ann");
  await vic.signIn(viewerPassword, "Vic");
  const current = () => query("select from core.tracked_app where is_current").then(({ length }) => length);
  const before = await current();
  expect(before).toBeGreaterThan(1);
  const seen = (await vic.get("/")).text;
  expect(seen).toContain("1 answer about the portfolio is held");
  expect(seen).not.toContain('action="/actions/held"');
  expect((await vic.post("/actions/held", {})).status).toBe(403);
  expect((await ann.get("/")).text).toContain('action="/actions/held"');
  const { status, text } = await ann.post("/actions/held", {});
  expect([status, text.replaceAll(/\s+/g, " ")]).toEqual([
    expect.any(Number),
    expect.stringContaining(`leaves out ${before} of ${before} members`),
  ]);
  expect(await current()).toBe(before);
  const bound = boundIn(text);
  expect((await ann.post("/actions/held", { agreed: "0", bound: "other" })).status).not.toBe(303);
  expect((await ann.post("/actions/held", { agreed: "0", bound })).status).toBe(303);
  expect(await current()).toBe(0);
  expect(await query("select outcome from ops.held_answer")).toEqual([{ outcome: "agreed" }]);
  const [deed] = await query(
    "select user_name, outcome, note, credits from ops.audit where action = 'held' order by audit_id desc limit 1",
  );
  expect(deed).toEqual({
    user_name: "Ann",
    outcome: "done",
    note: "Applied 1 answer. The next sync or scheduled run plans with them.",
    credits: 0,
  });
  expect((await ann.post("/actions/held", {})).text).toContain("no answers are held any longer");
});
