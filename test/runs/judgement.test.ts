import { expect, test } from "vitest";
import { usualIntervals } from "../../src/runs/heartbeat.ts";
import { createJudgement } from "../../src/runs/judgement.ts";
import { stoppedClock } from "../support/credits-clock.ts";

const { beatMs } = usualIntervals;

test("a process that starts judges others at once, and one whose heartbeat did not get through only two beats after the last such", () => {
  const clock = stoppedClock();
  const judgement = createJudgement(() => clock.now(), usualIntervals, false);
  expect(judgement.mayJudge()).toBe(true);
  judgement.missed();
  clock.move(beatMs);
  judgement.missed();
  clock.move(2 * beatMs - 1);
  expect(judgement.mayJudge()).toBe(false);
  clock.move(1);
  expect(judgement.mayJudge()).toBe(true);
});
