import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { startDoomed } from "../support/ingest-child.ts";
import { openStage, today, until, callText } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { calmRun, expectCalm } from "../support/ingest-witness.ts";
import { long } from "../support/long.ts";

/**
 * A period is a few seconds, so that several pass; the service reports its end in whole seconds. On a busy machine a reply is read seconds
 * late, and half a period late it counts as one of the next.
 */
const periodMs = 10_000;
const account = { token: "sandbox-token", total: 150, periodHours: periodMs / 3_600_000 };
const market = { apps: 2 };
const backfillFloor = 0.2;
const settings = {
  api: { concurrency: 2 },
  datasets: { keyword_rank: { history_days: 9 } },
  credits: { floors: { snapshot: 0, daily: 0, lookback: 0, history: backfillFloor } },
};

// every day two workers do so that are killed as well
test.runIf(long)(
  "two workers finish a backfill larger than the allowance automatically, over several periods, and keep the floor in each",
  async () => {
    const calm = await calmRun({ market }, { settings: { ...settings, credits: { floors: noFloors } } });
    await using stage = await openStage({ market, accounts: [account] });
    await using one = startDoomed(stage, "worker", { settings });
    await using other = startDoomed(stage, "worker", { settings });
    await until(async () => {
      if (new Set(stage.requested().map(callText)).size < calm.callTexts.length) return false;
      return Object.keys(await statesOf(stage)).every((state) => state === "loaded");
    });
    for (const worker of [one, other]) worker.process.kill("SIGTERM");
    expect([await one.ended, await other.ended]).toEqual([0, 0]);
    await expectCalm(stage, calm, 0);

    const periods = Map.groupBy(stage.requested(), ({ at }) => Math.floor(at / periodMs));
    expect(periods.size).toBeGreaterThan(2);
    const history = stage
      .requested()
      .filter(({ params: { date } }) => typeof date === "string" && date < addDays(today, -1));
    expect(history.length).toBeGreaterThan(20);
    expect(history.filter(({ remaining }) => remaining < account.total * backfillFloor)).toEqual([]);
    expect(stage.requested().filter(({ status }) => status !== 200)).toEqual([]);
  },
);

const noFloors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
