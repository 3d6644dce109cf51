import { describe, expect, test } from "vitest";
import { draft } from "../support/ledger-stage.ts";
import { cleanChecks, minute, watchForTests } from "../support/watch-stage.ts";
import { Settings } from "../../src/config/settings.ts";
import { watchOnce } from "../../src/incidents/watcher.ts";

const stage = watchForTests();
const day = 24 * 60 * minute;

/** Slices that fail with errors of their own have causes of their own. */
const eachItsError = () => stage.stage.pool.query("update ops.slice set error_code = 'error_of_' || dataset");

describe("an incident is notified", () => {
  test("when it opens and when it closes, by any worker, and once over restarts", async () => {
    await stage.failSlice();
    await stage.watch(2);
    expect(stage.receiver.received).toHaveLength(1);
    expect(stage.receiver.received[0]?.opened).toMatchObject([
      { kind: "slices_failed", subject: "keyword_rank server_error", detail: { slices: 1 }, closed_at: null },
    ]);
    await stage.watch(1, stage.watcher());
    expect(stage.receiver.received).toHaveLength(1);
    await stage.mend();
    await stage.watch(cleanChecks + 2, stage.watcher());
    expect(stage.sent()).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(
      stage
        .lines()
        .filter(({ msg }) => msg.startsWith("incident."))
        .map(({ msg }) => msg),
    ).toEqual(["incident.opened", "incident.closed"]);
  });

  test("in one message, however many open at once, with a headline that counts those that are not listed", async () => {
    const scope = { store: "ios", country: "US" };
    const drafts = Array.from({ length: 105 }, (_, app) =>
      draft({ dataset: `dataset_${app}`, scope: { ...scope, app: String(app) } }),
    );
    await stage.ended("failed", ...drafts);
    await eachItsError();
    await stage.watch(1);
    await stage.mend();
    await stage.watchClosing(stage.watcher({ send: null }));
    await stage.failSlice("keyword_rank", "new");
    await stage.watch(1);
    expect(stage.receiver.received.map(({ text, counts, more }) => ({ text, counts, more }))).toEqual([
      {
        text: "Storehouse incidents: 105 opened",
        counts: { opened: 105, still_open: 0, closed: 0, alerts: 0 },
        more: 5,
      },
      {
        text: "Storehouse incidents: 1 opened, 105 closed",
        counts: { opened: 1, still_open: 0, closed: 105, alerts: 0 },
        more: 6,
      },
    ]);
  });

  test("by one of several workers that check at the same time", async () => {
    await stage.failSlice();
    stage.clock.time += minute;
    await Promise.all([watchOnce(stage.watcher()), watchOnce(stage.watcher()), watchOnce(stage.watcher())]);
    expect(stage.sent()).toEqual([[1, 0]]);
  });

  test("within ten minutes where no request was sent, at the next check where one was", async () => {
    const check = async () => {
      stage.clock.time += minute;
      await watchOnce(stage.watcher());
    };
    await check();
    await stage.failSlice();
    for (let turn = 0; turn < 9; turn += 1) await check();
    expect(stage.sent()).toEqual([]);
    await check();
    expect(stage.sent()).toEqual([[1, 0]]);
    await stage.mend();
    // checked each minute while it is open
    for (let turn = 0; turn < cleanChecks; turn += 1) await check();
    expect(stage.sent()).toEqual([
      [1, 0],
      [0, 1],
    ]);
    await stage.failSlice("keyword_rank", "2");
    await stage.stage.pool.query(
      `insert into ops.request (account_id, attempt, page, class, operation, params, status, cost, duration_ms, byte_count, received_at)
       values ('a1', 1, 0, 'daily', 'keywords.ranking', '{}', 500, 0, 1, 1, $1)`,
      [new Date(stage.clock.time)],
    );
    await check();
    expect(stage.sent()).toHaveLength(3);
  });

  test("again after a day while it stays open, and not in between", async () => {
    await stage.failSlice();
    await stage.watch(1);
    stage.clock.time += day - 10 * minute;
    await stage.watch(2);
    expect(stage.receiver.received).toHaveLength(1);
    stage.clock.time += 10 * minute;
    await stage.watch(2);
    expect(stage.receiver.received.slice(1)).toMatchObject([
      { opened: [], closed: [], still_open: [{ kind: "slices_failed" }], counts: { still_open: 1 } },
    ]);
  });

  test("with the time since when slices fail, however often they were tried again since", async () => {
    await stage.failSlice();
    await stage.watch(1);
    const opened = new Date(stage.clock.time).toISOString().slice(0, 16).replace("T", " ");
    stage.clock.time += 2 * day;
    // the try of that day failed as well
    await stage.stage.pool.query("update ops.slice set ended_at = $1", [new Date(stage.clock.time)]);
    await stage.watch(1);
    expect(stage.receiver.received.at(-1)?.still_open?.[0]?.["summary"]).toContain(`failed since ${opened} UTC`);
  });

  test("again at the distance that the settings name", async () => {
    const parts = stage.watcher({ settings: Settings.parse({ notify: { repeat_hours: 1 } }) });
    await stage.failSlice();
    await stage.watch(1, parts);
    stage.clock.time += 54 * minute;
    await stage.watch(5, parts);
    expect(stage.receiver.received).toHaveLength(1);
    for (let hour = 1; hour <= 2; hour += 1) {
      await stage.watch(5, parts);
      stage.clock.time += 55 * minute;
    }
    expect(stage.receiver.received.slice(1).map(({ counts }) => counts?.still_open)).toEqual([1, 1]);
  });

  test("as closed after ten checks in a row without its problem, not before", async () => {
    const slice = await stage.failSlice();
    await stage.watch(2);
    await stage.mend();
    await stage.watch(cleanChecks - 1);
    await stage.stage.pool.query(
      "update ops.slice set state = 'failed', error_code = 'server_error' where slice_id = $1",
      [slice],
    );
    await stage.watch(1);
    await stage.mend();
    await stage.watch(cleanChecks - 1);
    expect(stage.sent()).toEqual([[1, 0]]);
    await stage.watch(1);
    expect(stage.sent()).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test("as one incident when its problem comes and goes", async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await stage.failSlice();
      await stage.watch(1);
      await stage.mend();
      await stage.watch(3);
    }
    expect(stage.sent()).toEqual([[1, 0]]);
  });

  test("in the log alone without a webhook; a webhook that is set later receives what is open, and what closed in the week before", async () => {
    await stage.failSlice();
    await stage.watch(2, stage.watcher({ send: null }));
    await stage.mend();
    await stage.watchClosing(stage.watcher({ send: null }));
    stage.clock.time += 5 * day;
    await stage.failSlice("app_rating");
    await stage.watch(2, stage.watcher({ send: null }));
    await stage.mend();
    await stage.watchClosing(stage.watcher({ send: null }));
    stage.clock.time += 2 * day;
    const slice = await stage.failSlice("review");
    await stage.stage.pool.query("update ops.slice set error_code = 'not_json' where slice_id = $1", [slice]);
    await stage.watch(1, stage.watcher({ send: null }));
    await stage.watch(1);
    expect(stage.receiver.received).toHaveLength(1);
    // datasets became late meanwhile
    const failed = (list: readonly Record<string, unknown>[] = []) =>
      list.filter(({ kind }) => kind === "slices_failed").map(({ subject }) => subject);
    const [message] = stage.receiver.received;
    expect([failed(message?.opened), failed(message?.closed)]).toEqual([
      ["review not_json"],
      ["app_rating server_error"],
    ]);
  });
});
