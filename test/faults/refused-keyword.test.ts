import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

const keywords = Array.from({ length: 90 }, (_, place) => `word ${String(place).padStart(2, "0")}`);
const refused = "word 41";
/** A call for one day and up to a hundred keywords. */
const price = 3;

async function openMarket(): Promise<Stage> {
  const fault = { contains: refused, times: 1_000_000, kind: "status", status: 400 } as const;
  const stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 5 }, faults: [fault] });
  await stage.sync({ request: { datasets: ["tracked_app"] } });
  return stage;
}

/** Fetches ranks of ninety keywords of the market's app as on a day, and returns what it was charged. */
async function fetchOn(stage: Stage, night: number, historyDays: number): Promise<number> {
  const on = addDays(today, night);
  stage.sandbox.set({ today: on });
  stage.sandbox.clearLog();
  const [app] = await stage.query<{ id: string }>("select min(track_id) as id from core.dim_app");
  const apps = [{ id: app?.id ?? "", countries: ["US"], keywords }];
  const settings = {
    portfolio: { source: "config", apps },
    datasets: { keyword_rank: { history_days: historyDays } },
  } as const;
  const request = { today: on, datasets: ["keyword_rank"] };
  expect(await stage.sync({ settings, request })).toMatchObject({ outcome: "loaded" });
  return stage.requested().reduce((sum, { charged }) => sum + charged, 0);
}

test("a refused keyword in many batches is searched for in one of them, and the others are requested whole without it, as on each day to come, however old its refusal", async () => {
  await using stage = await openMarket();
  const days = 5;
  // to halve ninety keywords down to one takes seven steps
  const search = 8 * price;
  const first = await fetchOn(stage, 0, days);
  expect(first).toBeGreaterThan(days * price);
  expect(first).toBeLessThanOrEqual(search + (days - 1) * price);
  const rest = stage.requested().filter(({ params, status }) => status === 200 && listOf(params).length === 89);
  expect(rest).toHaveLength(days - 1);
  // of the day alone: on the second one its refusal is older than the days that are fetched
  for (const night of long ? [1, 2] : [2]) {
    expect(await fetchOn(stage, night, 1)).toBe(price);
    expect(stage.requested().map(({ status }) => status)).toEqual([200]);
  }
});

function listOf({ keywords: named }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(named) ? named : [];
}
