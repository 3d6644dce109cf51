import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { crashPoints } from "../../src/ingest/crash-point.ts";
import { startDoomed, type Place } from "../support/ingest-child.ts";
import { openStage, wish } from "../support/ingest-stage.ts";
import { calmRun, expectCalm, repeats, torn, type Calm } from "../support/ingest-witness.ts";
import { seed } from "../support/long.ts";

/** One request at a time, so that what was on its way at a kill is one request. */
const settings = { api: { concurrency: 1 } };
/** Calls for twice as many kills as there are. */
const market = { apps: 2, keywordsPerApp: 6 };

let calm: Calm;

beforeAll(async () => {
  calm = await calmRun({ market });
});

/** Of the place at which it was killed, how often a run may have requested something that it could not land. */
const lost = { "after send": 1, "after answer": 1, "after landing": 0 } as const satisfies Partial<
  Record<Place, number>
>;

test.each(["after send", ...crashPoints] as const)(
  "ends as if undisturbed when it is killed %s, and when it is killed there again",
  async (place) => {
    await using stage = await openStage({ market });
    const kills = fc.sample(fc.integer({ min: 1, max: 8 }), { seed, numRuns: 2 });
    for (const times of kills) {
      await using child = startDoomed(stage, "sync", { place, times, settings });
      expect(await child.ended).toBe("SIGKILL");
      expect(await torn(stage)).toEqual([]);
    }
    expect(await stage.sync({ settings })).toMatchObject({ outcome: "loaded" });
    await expectCalm(stage, calm, kills.length);
    if (place in lost) expect(repeats(stage.asked())).toHaveLength(lost[place as keyof typeof lost] * kills.length);
  },
);

test("a group of many slices that is killed in the load is loaded from what was stored: nothing of it is requested again", async () => {
  const many = { api: { concurrency: 16 }, datasets: { keyword_rank: { history_days: 12 } } };
  const whole = await calmRun({}, { settings: many });
  await using stage = await openStage();
  await using child = startDoomed(stage, "sync", { place: "in the load", times: 40, settings: many });
  expect(await child.ended).toBe("SIGKILL");
  expect(await torn(stage)).toEqual([]);
  const stored = "exists (select from raw.answer as a where a.slice_id = s.slice_id)";
  const left = await stage.query(`select from ops.slice as s where s.state = 'running' and ${stored}`);
  expect(left.length).toBeGreaterThan(1);
  expect(await stage.sync({ settings: many })).toMatchObject({ outcome: "loaded" });
  // beside those that were stored some were on their way
  await expectCalm(stage, whole, many.api.concurrency);
  const again = new Set(repeats(stage.asked()).map(wish));
  expect(again.size).toBeLessThanOrEqual(many.api.concurrency);
});
