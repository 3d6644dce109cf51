import { expect, test } from "vitest";
import type { Fault } from "../../src/sandbox/sandbox.ts";
import { openNights } from "../support/nights.ts";

const [ios, android] = ["ios.keyword-ranking", "android.keyword-ranking"] as const;
const always = (operation: string, status: number, body = ""): Fault => ({
  operation,
  kind: "status",
  status,
  body,
  times: 1_000,
});

test("a retry that a refusal of the account stops leaves failed slices as they were: with their error, and requested again automatically", async () => {
  const settings = { api: { concurrency: 1 }, datasets: { keyword_rank: { history_days: 2 } } };
  await using nights = await openNights({ market: { apps: 2, countries: ["US", "JP"] } }, { settings });
  const { stage } = nights;
  const failed = () =>
    stage.query<{ code: string; is_tried: boolean }>(
      "select error_code as code, due_at is not null as is_tried from ops.slice where state = 'failed' order by 1",
    );
  const unreadable = { code: "unknown_shape", is_tried: false };
  const unavailable = { code: "server_error", is_tried: true };
  stage.sandbox.set({ faults: [always(ios, 200, "[[]]"), always(android, 500)] });
  expect((await stage.sync(nights.run())).outcome).toBe("failed");
  const before = await failed();
  for (const one of [unavailable, unreadable]) expect(before).toContainEqual(one);

  stage.sandbox.set({ faults: [always(ios, 403), always(android, 403)] });
  expect((await stage.retry(nights.run())).outcome).toBe("aborted");
  const [refused, ...others] = await failed();
  expect(refused).toEqual({ code: "forbidden", is_tried: true });
  expect(others).toHaveLength(before.length - 1);
  for (const one of others) expect([unavailable, unreadable]).toContainEqual(one);

  stage.sandbox.set({ faults: [] });
  const tenMinutesLater = { ...nights.clock, now: () => nights.clock.now() + 600_000 };
  await stage.sync(nights.run({ clock: tenMinutesLater }));
  expect(await failed()).toEqual(others.filter(({ is_tried }) => !is_tried));
});
