import type { Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import type { BudgetRoom } from "../plan/over-budget.ts";
import { countAsLoaded, withLoaded, type CountedAsLoaded } from "./counted-as-loaded.ts";
import { cutToRooms, freshRooms, readRooms, sumOfWork, type BudgetWork } from "./credit-budgets.ts";
import { planInChunks } from "./plan-chunks.ts";
import { coverageFor } from "./plan-coverage.ts";
import { createTally } from "./plan-tally.ts";
import { scheduled } from "./scheduled-datasets.ts";
import { startsOf } from "./plan-stream.ts";

/** What a run of the schedule would plan. */
export type RunForecast = {
  /** Datasets that it would request. */
  readonly datasets: readonly string[];
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
  /** The part that budgets put off. */
  readonly overBudget: { readonly slices: number; readonly credits: number };
};

/** What a forecast starts from: the account whose budgets count, the current day, and the open work. */
export type PriceForecasterOptions = {
  readonly db: Database;
  readonly settings: Settings;
  readonly accountId: string;
  readonly today: Day;
  readonly waiting?: readonly WaitingWork[];
};

/** Work that waits until a day. */
export type WaitingWork = BudgetWork & { readonly until: Day };

/**
 * The expected charges of a day: for the plans of its runs, and for work that waited for the day. Also the work of these runs, within
 * budgets or not.
 */
export type ForecastCharge = {
  readonly planned: number;
  readonly waited: number;
  readonly work: readonly BudgetWork[];
};

/** Prices runs of the schedule one after the other, each as if those before it had run and all their answers had come. Writes nothing. */
export interface PriceForecaster {
  /** Prices a run of these datasets on a day, with its charges, including work that budgets put off to that day. */
  run(names: readonly string[], on: Day): Promise<{ readonly price: RunForecast; readonly charge: ForecastCharge }>;
  /** The charges of a day without a run: for work that waited for it. */
  resume(on: Day): Promise<ForecastCharge>;
}

/** Opens a forecast from what is known now: the portfolio, settings, prices, and past requests. */
export function createPriceForecaster({
  db,
  settings,
  accountId,
  today,
  waiting = [],
}: PriceForecasterOptions): PriceForecaster {
  const forecastCost: ForecastSlices = new Map();
  let rooms: readonly BudgetRoom[] | null = null;
  let waits = waiting;
  /** Charges some work, and work that was deferred until this day, to the budgets; work that they refuse is deferred again. */
  const charge = async (own: readonly BudgetWork[], on: Day) => {
    // the nights are forecast here, and history is counted after them
    rooms ??= (await readRooms(db, { settings, accountId, day: today })).map((room) => ({ ...room, forNights: 0 }));
    const due = waits.filter(({ until }) => until <= on);
    const work = [...own.map((line) => ({ ...line, isNew: true })), ...due.map((line) => ({ ...line, isNew: false }))];
    const isHistory = (line: BudgetWork) => line.class === "history";
    const cut = cutToRooms(
      work.filter((line) => !isHistory(line)),
      settings,
      roomsOn(on, rooms, settings),
    );
    // history leaves credits to the nights: what it takes is not taken from theirs
    const ofHistory = cutToRooms(work.filter(isHistory), settings, cut.left);
    rooms = cut.left;
    const all = [...cut.putOff, ...ofHistory.putOff];
    waits = [...waits.filter(({ until }) => until > on), ...all];
    const putOff = sumOfWork(all.filter(({ isNew }) => isNew));
    const putOffAgain = sumOfWork(all.filter(({ isNew }) => !isNew));
    const planned = sumOfWork(own).credits - putOff.credits;
    const waited = sumOfWork(due).credits - putOffAgain.credits;
    return { charge: { planned, waited, work: own }, overBudget: putOff };
  };
  return {
    run: async (names, on) => {
      const chosen = scheduled(names, settings);
      const planned = await planRun({ db, settings, chosen, on, forecastCost });
      const { charge: charged, overBudget } = await charge(planned.lines, on);
      return { price: { ...planned.sum, datasets: planned.datasets, overBudget }, charge: charged };
    },
    resume: async (on) => (await charge([], on)).charge,
  };
}

/** The forecast slices, by dataset. */
type ForecastSlices = Map<string, CountedAsLoaded>;

/** Plans a run as if all forecast slices had been answered, and adds its slices to these. */
async function planRun({
  db,
  settings,
  chosen,
  on,
  forecastCost,
}: Pick<PriceForecasterOptions, "db" | "settings"> & {
  readonly chosen: readonly string[];
  readonly on: Day;
  readonly forecastCost: ForecastSlices;
}) {
  const requested = new Set<string>();
  const tally = createTally({ digest: false });
  const request = { datasets: chosen, bounds: {}, today: on, isScheduled: true } as const;
  const starts = chosen.length === 0 ? [] : await startsOf(db, request, settings);
  for (const start of starts) {
    const known = forecastCost.get(start.dataset.name) ?? new Map();
    forecastCost.set(start.dataset.name, known);
    for await (const { plan } of planInChunks(withLoaded(coverageFor(db, start, { isJoined: true }), known), start)) {
      tally.add({ ...plan, stage: start.dataset.stage });
      if (plan.slices.length > 0) requested.add(start.dataset.name);
      countAsLoaded(known, plan.slices);
    }
  }
  const { lines, slices, requests, credits } = tally.sum();
  return { datasets: [...requested], lines, sum: { slices, requests, credits } };
}

/** Budgets on a day: whole again where their period has ended. */
function roomsOn(day: Day, rooms: readonly BudgetRoom[], settings: Settings): readonly BudgetRoom[] {
  const fresh = freshRooms(settings, day);
  const isSame = (a: BudgetRoom, b: BudgetRoom) => a.budget === b.budget && a.period === b.period;
  return rooms.map((room) => (day < room.endsOn ? room : (fresh.find((one) => isSame(one, room)) ?? room)));
}
