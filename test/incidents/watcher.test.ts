import { describe, expect, test } from "vitest";
import { minute, watchForTests } from "../support/watch-stage.ts";
import { watchOnce } from "../../src/incidents/watcher.ts";

const house = watchForTests();

describe("what is wrong is told", () => {
  test("once when it opens and once when it is over, by whichever worker looks, and over restarts", async () => {
    await house.failSlice();
    await house.watch(5);
    expect(house.receiver.received).toHaveLength(1);
    expect(house.receiver.received[0]?.opened).toMatchObject([
      { kind: "slices_failed", subject: "keyword_rank server_error", detail: { slices: 1 }, closed_at: null },
    ]);
    await house.watch(3, house.lookout());
    expect(house.receiver.received).toHaveLength(1);
    await house.mend();
    await house.watch(5, house.lookout());
    expect(house.told()).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(
      house
        .lines()
        .filter(({ msg }) => msg.startsWith("incident."))
        .map(({ msg }) => msg),
    ).toEqual(["incident.opened", "incident.closed"]);
  });

  test("in one message, however much is wrong at the first look", async () => {
    for (let app = 1; app <= 30; app += 1) await house.failSlice(`dataset_${app}`, String(app));
    await house.watch(3);
    expect(house.told()).toEqual([[30, 0]]);
  });

  test("with a headline that counts what is over and what came and went, however many there are", async () => {
    for (let app = 1; app <= 130; app += 1) await house.failSlice(`dataset_${app}`, String(app));
    await house.watch(1);
    await house.mend();
    await house.watch(1, house.lookout({ send: null }));
    const slice = await house.failSlice("keyword_rank", "brief");
    await house.watch(2, house.lookout({ send: null }));
    await house.stage.pool.query("update ops.slice set state = 'loaded', error_code = null where slice_id = $1", [
      slice,
    ]);
    await house.watch(2, house.lookout({ send: null }));
    await house.failSlice("keyword_rank", "stays");
    await house.watch(1);
    expect(house.receiver.received.map(({ text, counts, more }) => ({ text, counts, more }))).toEqual([
      { text: "Storehouse: 130 things are wrong", counts: { wrong: 130, over: 0, passed: 0 }, more: 30 },
      {
        text: "Storehouse: 1 thing is wrong, 130 are over, 1 came and went",
        counts: { wrong: 1, over: 130, passed: 1 },
        more: 32,
      },
    ]);
  });

  test("by one of two workers that look at the same time", async () => {
    await house.failSlice();
    house.clock.time += minute;
    await Promise.all([watchOnce(house.lookout()), watchOnce(house.lookout()), watchOnce(house.lookout())]);
    expect(house.told()).toEqual([[1, 0]]);
  });

  test("not as over by a look that missed it once", async () => {
    const slice = await house.failSlice();
    await house.watch(2);
    await house.mend();
    await house.watch(1);
    await house.stage.pool.query(
      "update ops.slice set state = 'failed', error_code = 'server_error' where slice_id = $1",
      [slice],
    );
    await house.watch(3);
    expect(house.told()).toEqual([[1, 0]]);
  });

  test("ever more seldom where it comes and goes", async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      const slice = await house.failSlice();
      await house.watch(1);
      await house.stage.pool.query("update ops.slice set state = 'loaded', error_code = null where slice_id = $1", [
        slice,
      ]);
      await house.watch(3);
    }
    // it is open for good by the second time: it never stays away for four looks in a row
    expect(house.told()).toEqual([
      [1, 0],
      [0, 1],
      [1, 0],
    ]);
  });

  test("to the log alone where there is no webhook; the webhook that is set later hears what is open, and no history", async () => {
    const slice = await house.failSlice();
    await house.watch(2, house.lookout({ send: null }));
    await house.mend();
    await house.watch(3, house.lookout({ send: null }));
    await house.stage.pool.query("update ops.slice set state = 'failed', error_code = 'not_json' where slice_id = $1", [
      slice,
    ]);
    await house.watch(1, house.lookout({ send: null }));
    house.clock.time += 25 * 60 * minute;
    await house.watch(1);
    expect(house.receiver.received).toHaveLength(1);
    expect(house.receiver.received[0]?.opened?.map(({ subject }) => subject)).toContain("keyword_rank not_json");
    expect(house.receiver.received[0]?.recovered).toEqual([]);
  });
});
