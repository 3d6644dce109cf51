import { afterEach, expect, test, vi } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { day } from "../../src/core/day.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("today is the UTC day of now", () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 7, 19, 23, 59, 59, 999) });
  const clock = systemClock();
  expect([clock.now(), clock.today()]).toEqual([Date.UTC(2026, 7, 19, 23, 59, 59, 999), "2026-08-19"]);
  vi.setSystemTime(Date.UTC(2026, 7, 20));
  expect(clock.today()).toBe("2026-08-20");
});

test("a day that is pinned stays today while now runs on", () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 7, 20) });
  const clock = systemClock(day("2026-03-31"));
  vi.setSystemTime(Date.UTC(2026, 7, 22));
  expect([clock.now(), clock.today()]).toEqual([Date.UTC(2026, 7, 22), "2026-03-31"]);
});

test("a sleep ends when its time is over, or with the reason of the abort", async () => {
  await systemClock().sleep(0);
  const stop = new AbortController();
  const asleep = systemClock().sleep(2 ** 30, stop.signal);
  stop.abort(new Error("enough"));
  await expect(asleep).rejects.toMatchObject({ cause: new Error("enough") });
  await expect(systemClock().sleep(2 ** 30, AbortSignal.abort(new Error("enough")))).rejects.toMatchObject({
    name: "AbortError",
  });
});
