import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { crashPoints } from "../../src/ingest/crash-point.ts";
import { startDoomed, type Place } from "../support/ingest-child.ts";
import { openStage } from "../support/ingest-stage.ts";
import { calmRun, expectCalm, repeats, torn, type Calm } from "../support/ingest-witness.ts";
import { seed } from "../support/long.ts";

/** One request at a time, so that what was on its way at a kill is one request. */
const settings = { api: { concurrency: 1 } };

let calm: Calm;

beforeAll(async () => {
  calm = await calmRun();
});

/** Of the place at which it was killed, how often a run may have requested something that it could not land. */
const lost = { "after send": 1, "after answer": 1, "after landing": 0 } as const satisfies Partial<
  Record<Place, number>
>;

test.each(["after send", ...crashPoints] as const)(
  "ends as if undisturbed when it is killed %s, and when it is killed there again",
  async (place) => {
    await using stage = await openStage();
    const kills = fc.sample(fc.integer({ min: 1, max: 14 }), { seed, numRuns: 2 });
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
