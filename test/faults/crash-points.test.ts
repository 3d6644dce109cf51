import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { crashPoints } from "../../src/ingest/crash-point.ts";
import { startDoomed, type Place } from "../support/ingest-child.ts";
import { openStage, type Stage } from "../support/ingest-stage.ts";
import { calmRun, expectCalm, torn, type Calm } from "../support/ingest-witness.ts";
import { long, seed } from "../support/long.ts";

/** One request at a time, so that what was on its way at a kill is one request. */
const settings = { api: { concurrency: 1 } };
/** An iOS and an Android app in a country: calls for more kills than there are. */
const market = { apps: 2, countries: ["US"] };

let calm: Calm;

beforeAll(async () => {
  calm = await calmRun({ market });
});

/**
 * Places at which no other test kills a process every day: with a request on the wire it is killed when the credits just suffice, and in
 * the load below. In the long run each place twice, one kill after the other.
 */
const chains: (readonly Place[])[] = long
  ? (["after send", ...crashPoints] as const).map((place) => [place, place])
  : [["after answer", "after landing", "after commit", "before the end"]];

test.each(chains.map((places) => ({ places, named: places.join(", then ") })))(
  "ends as if undisturbed when it is killed, and the runs that take over are killed as well: $named",
  async ({ places }) => {
    await using stage = await openStage({ market });
    const times = fc.sample(fc.integer({ min: 1, max: 3 }), { seed, numRuns: places.length });
    for (const [at, place] of places.entries()) {
      await using child = startDoomed(stage, "sync", { place, times: times[at] ?? 1, settings });
      expect(await child.ended).toBe("SIGKILL");
      expect(await torn(stage)).toEqual([]);
    }
    expect(await stage.sync({ settings })).toMatchObject({ outcome: "loaded" });
    await expectCalm(stage, calm, places.length);
    await expectStoredOnce(stage);
  },
);

test("a group of many slices that is killed in the load is loaded from what was stored: nothing of it is requested again", async () => {
  const many = { api: { concurrency: 16 } };
  await using stage = await openStage({ market });
  await using child = startDoomed(stage, "sync", { place: "in the load", times: 7, settings: many });
  expect(await child.ended).toBe("SIGKILL");
  expect(await torn(stage)).toEqual([]);
  const left = await stage.query(
    "select from ops.slice as s join raw.answer as a using (slice_id) where s.state = 'running'",
  );
  expect(left.length).toBeGreaterThan(1);
  expect(await stage.sync({ settings: many })).toMatchObject({ outcome: "loaded" });
  // beside those that were stored some were on their way
  await expectCalm(stage, calm, many.api.concurrency);
  await expectStoredOnce(stage);
});

/** A page whose answer was stored when a process was killed is not requested again: only what was in flight, or not stored yet, is. */
async function expectStoredOnce(stage: Stage): Promise<void> {
  const again = await stage.query(
    "select from ops.request as r join raw.answer as a using (slice_id, page) where r.request_id > a.request_id",
  );
  expect(again).toEqual([]);
}
