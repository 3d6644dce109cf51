import { describe, expect, test } from "vitest";
import { minute, watchForTests } from "../support/watch-stage.ts";
import { createWebhook } from "../../src/incidents/webhook.ts";
import { watchOnce } from "../../src/incidents/watcher.ts";
import { webhookSecret } from "../support/webhook-receiver.ts";

const house = watchForTests();

describe("a webhook that is down", () => {
  test("is tried again ever more seldom, and hears everything once it is back", async () => {
    await house.failSlice();
    house.receiver.answer = 500;
    await house.watch(60);
    const asked = house.receiver.asked();
    expect(asked).toBeGreaterThan(3);
    expect(asked).toBeLessThan(9);
    house.receiver.answer = 200;
    await house.mend();
    await house.watch(60);
    expect(house.told()).toEqual([[1, 1]]);
    const lines = house.lines().filter(({ msg }) => msg === "notification.failed");
    expect(lines).toHaveLength(asked);
    expect(JSON.stringify(house.lines())).not.toContain(webhookSecret);
  });

  test("is one that redirects, too: what is told goes nowhere else", async () => {
    await house.failSlice();
    house.receiver.answer = "redirect";
    await house.watch(1);
    expect(house.receiver.asked()).toBe(1);
    expect(house.receiver.received).toEqual([]);
    expect(house.lines().map(({ msg }) => msg)).toContain("notification.failed");
  });

  test("is one that never answers, too", async () => {
    await house.failSlice();
    house.receiver.answer = "silence";
    await house.watch(
      1,
      house.lookout({ send: createWebhook({ url: house.receiver.url, format: "json", timeoutMs: 50 }) }),
    );
    expect(house.lines().find(({ msg }) => msg === "notification.failed")).toMatchObject({
      problem: expect.stringContaining("webhook_failed") as string,
    });
    house.receiver.answer = 200;
    await house.watch(2);
    expect(house.told()).toEqual([[1, 0]]);
  });

  test("is taken up by another worker when the one that was telling it is killed", async () => {
    await house.failSlice();
    // so it stands when a worker dies between its turn and its message
    await house.watch(1, house.lookout({ send: null }));
    await house.stage.pool.query("update ops.watch set tell_after = $1", [
      new Date(house.clock.time + minute).toISOString(),
    ]);
    await watchOnce(house.lookout());
    expect(house.receiver.asked()).toBe(0);
    await house.watch(1);
    expect(house.told()).toEqual([[1, 0]]);
  });
});
