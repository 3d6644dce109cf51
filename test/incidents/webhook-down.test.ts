import { describe, expect, test } from "vitest";
import { cleanChecks, minute, watchForTests } from "../support/watch-stage.ts";
import { minuteOf } from "../../src/core/words.ts";
import { checkMessages } from "../../src/doctor/api-and-webhook-checks.ts";
import { createWebhook } from "../../src/incidents/webhook.ts";
import { watchOnce } from "../../src/incidents/watcher.ts";
import { webhookSecret } from "../support/webhook-receiver.ts";

const stage = watchForTests();
const undelivered = () =>
  checkMessages(stage.stage.db, { settings: stage.watcher().settings, clock: stage.watcher().clock });

describe("a webhook that is down", () => {
  test("is retried at growing intervals, and receives everything once it responds", async () => {
    await stage.failSlice();
    stage.receiver.answer = 500;
    await stage.watch(30);
    await stage.mend();
    await stage.watch(cleanChecks);
    const requests = stage.receiver.requests();
    expect(requests).toBeGreaterThan(3);
    expect(requests).toBeLessThan(9);
    const opened = minuteOf(stage.clock.time - (30 + cleanChecks) * minute + minute);
    const waiting = await undelivered();
    expect(waiting).toMatchObject({ state: "warn", check: "messages" });
    expect(waiting?.found).toBe(
      `incidents or alerts have waited for the webhook since ${opened}: it did not accept the last ${requests} messages`,
    );
    expect(waiting?.next).toMatch(/`storehouse doctor --notify` .*; a worker sends the next one after \d/);
    expect(JSON.stringify(waiting)).not.toContain(webhookSecret);
    stage.receiver.answer = 200;
    // longer than any interval
    stage.clock.time += 45 * minute;
    await stage.watch(2);
    expect(stage.sent()).toEqual([[0, 1]]);
    expect(await undelivered()).toBeNull();
    const lines = stage.lines().filter(({ msg }) => msg === "notification.failed");
    expect(lines).toHaveLength(requests);
    expect(JSON.stringify(stage.lines())).not.toContain(webhookSecret);
  });

  test("is one that redirects, too: a message goes to no other address", async () => {
    await stage.failSlice();
    stage.receiver.answer = "redirect";
    await stage.watch(1);
    expect(stage.receiver.requests()).toBe(1);
    expect(stage.receiver.received).toEqual([]);
    expect(stage.lines().map(({ msg }) => msg)).toContain("notification.failed");
  });

  test("is one that never responds, too", async () => {
    await stage.failSlice();
    stage.receiver.answer = "silence";
    await stage.watch(
      1,
      stage.watcher({ send: createWebhook({ url: stage.receiver.url, format: "json", timeoutMs: 50 }) }),
    );
    expect(stage.lines().find(({ msg }) => msg === "notification.failed")).toMatchObject({
      problem: expect.stringContaining("webhook_failed") as string,
    });
    stage.receiver.answer = 200;
    await stage.watch(2);
    expect(stage.sent()).toEqual([[1, 0]]);
  });

  test("is notified by another worker when the one that was sending is killed", async () => {
    await stage.failSlice();
    // the state of a worker that died between its claim and its message
    await stage.watch(1, stage.watcher({ send: null }));
    await stage.stage.pool.query("update ops.watch set notify_after = $1", [
      new Date(stage.clock.time + minute).toISOString(),
    ]);
    await watchOnce(stage.watcher());
    expect(stage.receiver.requests()).toBe(0);
    await stage.watch(1);
    expect(stage.sent()).toEqual([[1, 0]]);
  });
});
