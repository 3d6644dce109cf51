import { describe, expect, test } from "vitest";
import { alertsForTests } from "../support/alert-stage.ts";

const stage = alertsForTests();
const fell = { fell: { kind: "keyword_fell" } };

describe("messages about alerts", () => {
  test("of the morning wait for their time, and are one message", async () => {
    const alerts = { fell: { ...fell.fell, send: "morning" }, left: { kind: "keyword_left_top", send: "morning" } };
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    await stage.watch(alerts, { morning_at: "07:30" });
    await stage.mart.ask("update ops.alert_day set answer_count = 0");
    stage.clock.time = Date.parse("2026-08-09T07:28:00Z");
    await stage.watch(alerts, { morning_at: "07:30" });
    expect(stage.sent()).toEqual([]);
    await stage.watch(alerts, { morning_at: "07:30" });
    await stage.watch(alerts, { morning_at: "07:30" });
    expect(stage.sent().map(({ length }) => length)).toEqual([2]);
  });

  test("say nothing of an alert that was removed; when it comes back it begins again", async () => {
    const morning = { fell: { ...fell.fell, send: "morning" } };
    const isNextMorning = () => (stage.clock.time = Date.parse("2026-08-10T07:30:00Z"));
    await stage.ranks({ "2026-08-06": 1, "2026-08-07": 4, "2026-08-08": 12 });
    await stage.watch(morning);
    isNextMorning();
    await stage.watch({});
    await stage.watch({});
    expect(stage.sent()).toEqual([]);
    await stage.watch(morning);
    expect(await stage.mart.ask("select since_day from ops.alert")).toEqual(["2026-08-09"]);
  });

  test("are about what a changed alert says, and no more about what it said", async () => {
    const morning = { kind: "keyword_fell", send: "morning" };
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    await stage.watch({ fell: morning });
    await stage.watch({ fell: { ...morning, by: 20 } });
    await stage.watch({ fell: { kind: "keyword_left_top" } });
    stage.clock.time = Date.parse("2026-08-09T07:30:00Z");
    await stage.watch({ fell: { kind: "keyword_left_top" } });
    expect(await stage.fired()).toHaveLength(2);
    expect(stage.sent().flat()).toHaveLength(1);
  });

  test("are sent again where the webhook did not accept them, and once where two workers check at once", async () => {
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    stage.receiver.answer = 500;
    await Promise.all([stage.check(fell), stage.check(fell)]);
    await stage.watch(fell);
    expect(stage.sent()).toEqual([]);
    stage.receiver.answer = 200;
    await stage.watch(fell);
    await stage.watch(fell);
    expect(stage.sent()).toHaveLength(1);
  });
});
