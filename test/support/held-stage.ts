import { addDays } from "../../src/core/day.ts";
import { today, type Stage } from "./ingest-stage.ts";
import { openIn, openSynced } from "./synced-stage.ts";

/** A small account. */
export const market = { apps: 4, countries: ["US"], keywordsPerApp: 5 } as const;
const request = { datasets: ["tracked_app"] };

/** A list of apps without one. */
export const empty = { success: true, data: [] };

/** The day on which the list of apps was read. */
const yesterday = addDays(today, -1);
const read = { request: { ...request, today: yesterday } };

/** A stage that has read the list of apps the day before. */
export const openListed = () => openSynced({ market, today: yesterday }, read);

/** A stage whose list of apps was empty today, which is held; the sandbox continues to answer so. */
export async function openHeld(): Promise<Stage> {
  const make = async (stage: Stage) => {
    await stage.sync(read);
    answerWith(stage, empty);
    await syncAfter(stage, 0);
  };
  const stage = await openIn({ name: "an empty list of apps is held", make }, { market, today: yesterday });
  answerWith(stage, empty);
  stage.sandbox.set({ today });
  return stage;
}

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
