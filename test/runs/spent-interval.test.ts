import { expect, test } from "vitest";
import { spentIntervalMs } from "../../src/runs/spent-interval.ts";

test.each([
  ["at the start", 0, 0, 0],
  ["in the first second", 800, 2, 200],
  ["in a run of minutes", 300_000, 2, 5_000],
  ["where adding up takes long", 800, 50, 950],
  ["where it takes very long", 3_600_000, 2_000, 38_000],
])(
  "the credits spent are added up soon, later more rarely, and never for more than a twentieth of the time: %s",
  (_, ranMs, tookMs, expected) => {
    expect(spentIntervalMs({ ranMs, tookMs })).toBe(expected);
  },
);
