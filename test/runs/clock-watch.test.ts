import { expect, test } from "vitest";
import { hourMs } from "../../src/core/day.ts";
import { createLog } from "../../src/core/log.ts";
import { createClockWatch } from "../../src/runs/clock-watch.ts";

const minuteMs = 60_000;

/** What a watch reports while the clock of its machine moves by the first and a steady one by the second of each pair, in ms. */
function watched(...moves: readonly (readonly [number, number])[]) {
  let [time, steady] = [Date.parse("2026-11-29T04:00:00Z"), 500];
  const lines: string[] = [];
  const ended: string[] = [];
  const watch = createClockWatch({
    clock: { now: () => time },
    steadyMs: () => steady,
    log: createLog({ level: "warn", secrets: [], to: { write: (line: string) => lines.push(line) } }),
    abort: ({ message }) => ended.push(message),
  });
  for (const [wall, real] of moves) {
    time += wall;
    steady += real;
    watch();
  }
  return { ended, logged: lines.map((line) => JSON.parse(line) as object) };
}

test("a clock that is set back by more than a minute ends the session, and is logged", () => {
  const { ended, logged } = watched([10_000, 10_000], [10_000 - 48 * hourMs, 10_000], [10_000, 10_000]);
  expect(ended).toEqual([expect.stringMatching(/^clock_set_back: the clock of this machine was set back by 48\sh/)]);
  expect(logged).toMatchObject([{ msg: "clock.set_back", back_ms: 48 * hourMs }]);
});

test("a session goes on while the clock is corrected by less, is set forward, or the machine sleeps", () => {
  const corrected = Array.from({ length: 5 }, () => [10_000 - minuteMs, 10_000] as const);
  expect(watched(...corrected, [48 * hourMs, 10_000], [hourMs, 0])).toEqual({ ended: [], logged: [] });
});
