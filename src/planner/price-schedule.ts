import type { Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { scopeKey, type Covered, type SliceDraft } from "../core/slice.ts";
import type { CoverageReader } from "../ledger/coverage.ts";
import type { Database } from "../postgres/database.ts";
import type { BudgetRoom } from "../plan/over-budget.ts";
import { cutToRooms, freshRooms, readRooms, sumOfCut } from "./credit-budgets.ts";
import { coverageFor, planInChunks } from "./plan-chunks.ts";
import { createTally } from "./plan-tally.ts";
import { scheduled } from "./scheduled-datasets.ts";
import { startsOf } from "./plan-stream.ts";

/** What a run of the schedule would plan. */
export type Foreseen = {
  /** Datasets that it would request. */
  readonly datasets: readonly string[];
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
  /** What of these budgets put off. */
  readonly overBudget: { readonly slices: number; readonly credits: number };
};

/** What a forecast starts from: the account whose budgets count, and the day of now. */
export type ForesightStart = {
  readonly db: Database;
  readonly settings: Settings;
  readonly accountId: string;
  readonly today: Day;
};

/** Prices runs of the schedule one after the other, each as if those before it had run and every answer had come. Writes nothing. */
export type Foresight = (names: readonly string[], on: Day) => Promise<Foreseen>;

/** Opens a forecast from what is known now: the portfolio, settings, prices, and what was requested. */
export function createForesight({ db, settings, accountId, today }: ForesightStart): Foresight {
  const foreseen = new Map<string, Map<string, Covered[]>>();
  let rooms: readonly BudgetRoom[] | null = null;
  return async (names, on) => {
    const chosen = scheduled(names, settings);
    const sum = { slices: 0, requests: 0, credits: 0 };
    const requested = new Set<string>();
    if (chosen.length === 0) return { datasets: [], ...sum, overBudget: { slices: 0, credits: 0 } };
    const tally = createTally({ digest: false });
    for (const start of await startsOf(db, { datasets: chosen, bounds: {}, today: on }, settings)) {
      const known = foreseen.get(start.dataset.name) ?? new Map<string, Covered[]>();
      foreseen.set(start.dataset.name, known);
      for await (const { plan } of planInChunks(withForeseen(coverageFor(db, start), known), start)) {
        tally.add({ ...plan, stage: start.dataset.stage });
        for (const slice of plan.slices) {
          requested.add(start.dataset.name);
          sum.slices += 1;
          sum.requests += slice.requests;
          sum.credits += slice.credits;
          remember(known, slice);
        }
      }
    }
    rooms ??= await readRooms(db, { settings, accountId, day: today });
    const cut = cutToRooms(tally.sum().lines, settings, roomsOn(on, rooms, settings));
    rooms = cut.left;
    return { datasets: [...requested], ...sum, overBudget: sumOfCut(cut) };
  };
}

/** Budgets on a day: whole again where their period has ended. */
function roomsOn(day: Day, rooms: readonly BudgetRoom[], settings: Settings): readonly BudgetRoom[] {
  const fresh = freshRooms(settings, day);
  const isSame = (a: BudgetRoom, b: BudgetRoom) => a.budget === b.budget && a.period === b.period;
  return rooms.map((room) => (day < room.endsOn ? room : (fresh.find((one) => isSame(one, room)) ?? room)));
}

function remember(known: Map<string, Covered[]>, slice: SliceDraft): void {
  const key = scopeKey(slice.scope);
  const slices = known.get(key) ?? [];
  slices.push({ ...slice, state: "loaded", refused: false });
  known.set(key, slices);
}

/** Coverage as it would be after what was foreseen. */
function withForeseen(coverage: CoverageReader, known: ReadonlyMap<string, readonly Covered[]>): CoverageReader {
  return {
    ...coverage,
    read: async (scopes) => {
      const covered = await coverage.read(scopes);
      const both = scopes
        .map((scope) => scopeKey(scope))
        .map((key) => [key, [...(covered.get(key) ?? []), ...(known.get(key) ?? [])]] as const);
      return new Map(both.filter(([, slices]) => slices.length > 0));
    },
  };
}
