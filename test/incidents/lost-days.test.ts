import { expect, test } from "vitest";
import { noteDatasets } from "../../src/ledger/dataset-timings.ts";
import { noteLostDays } from "../../src/ledger/lost-days.ts";
import { august, datasetLine, draft, today } from "../support/ledger-stage.ts";
import { minute, watchForTests } from "../support/watch-stage.ts";

const watched = watchForTests();
const hour = 60 * minute;

test("a snapshot that nobody could load is announced before its day is lost, and once more when it is", async () => {
  const { stage, clock, receiver } = watched;
  await noteDatasets(
    stage.db,
    [datasetLine("chart")],
    [{ dataset: "chart", scope: null, kind: "snapshot", refresh_days: 1 }],
    { account: "", planned: [], today },
  );
  const midnight = Date.parse(`${today}T00:00:00Z`);
  await watched.ended("failed", draft({ dataset: "chart", class: "snapshot", window: august(20), asOf: today }));
  const kinds = () => watched.opened().map(({ kind }) => kind);

  clock.time = midnight + 16 * hour - 2 * minute;
  await watched.watch(1);
  expect(kinds()).not.toContain("day_at_risk");
  await watched.watch(1);
  expect(watched.opened().find(({ kind }) => kind === "day_at_risk")).toMatchObject({
    detail: { datasets: ["chart"], cells: 1, lost_at: "2026-08-21T00:00:00.000Z" },
  });
  expect(kinds()).not.toContain("day_lost");

  clock.time = midnight + 24 * hour;
  const runId = await stage.run({ kind: "schedule" });
  await noteLostDays(stage.db, { runId, today: august(21).start, now: clock.time });
  await watched.watch(3);
  const lost = watched.opened().filter(({ kind }) => kind === "day_lost");
  expect(lost).toMatchObject([{ detail: { datasets: ["chart"], days: [today], cells: 1, cells_ever: 1 } }]);
  expect(receiver.received.at(-1)?.text).toBe("Storehouse incident opened: Days are lost");
});
