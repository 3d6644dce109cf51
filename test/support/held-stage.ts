import { addDays } from "../../src/core/day.ts";
import { today, type Stage } from "./ingest-stage.ts";
import { openSynced } from "./synced-stage.ts";

/** A small account. */
export const market = { apps: 4, countries: ["US"], keywordsPerApp: 5 } as const;
const request = { datasets: ["tracked_app"] };

/** A stage that has read the list of apps the day before. */
export const openListed = () => {
  const yesterday = addDays(today, -1);
  return openSynced({ market, today: yesterday }, { request: { ...request, today: yesterday } });
};

/** Has the account's list of apps answered with this from now on. */
export function answerWith(stage: Stage, answer: unknown): void {
  const body = JSON.stringify(answer);
  const fault = { operation: "dashboard.apps", times: 1_000, kind: "status", status: 200, charge: true, body } as const;
  stage.sandbox.set({ faults: [fault] });
}

/** A sync of the list of apps so many days after the stage's day. */
export async function syncAfter(stage: Stage, days: number) {
  stage.sandbox.set({ today: addDays(today, days) });
  return stage.sync({ request: { ...request, today: addDays(today, days) } });
}

/** How many apps the account follows. */
export async function current(stage: Stage): Promise<number> {
  const [row] = await stage.query<{ apps: number }>(
    "select count(*)::int as apps from core.tracked_app where is_current",
  );
  return row?.apps ?? 0;
}

/** What became of held answers. */
export const outcomes = (stage: Stage) => stage.query("select outcome from ops.held_answer order by slice_id");
