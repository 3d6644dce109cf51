import { isDeepStrictEqual } from "node:util";
import { operations } from "../api/operations/all.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { daysBetween, type Day } from "../core/day.ts";
import { meanwhile, type Meanwhile, type PlanLine } from "../ledger/plans.ts";
import type { Database } from "../postgres/database.ts";
import { addUp, basisOf, type BackfillPlan, type PlanBasis } from "./backfill-plan.ts";
import { readPortfolio } from "./portfolio.ts";
import { planTotals } from "./plan-tally.ts";

type Sums = { readonly slices: number; readonly requests: number; readonly credits: number };

/** A dataset, class, app and country for which a plan would differ now. */
type LineChange = Pick<PlanLine, "dataset" | "class" | "store" | "app" | "country"> & {
  readonly before: Sums;
  readonly now: Sums;
};

/** What has changed since a plan was made; null if it would be the same. `daysPassed` alone changes no plan. */
export type PlanChanges = {
  readonly before: Sums;
  readonly now: Sums;
  readonly lines: readonly LineChange[];
  readonly meanwhile: readonly Meanwhile[];
  /** Apps and countries whose keywords changed, or that were added or removed (null), as `store:app country`. */
  readonly portfolio: readonly Change<number>[];
  readonly prices: readonly Change<number>[];
  readonly settings: readonly string[];
  readonly asOf: Day;
  readonly daysPassed: number;
} | null;

type Change<T> = { readonly name: string; readonly before: T | null; readonly now: T | null };

/** Plans again from what is known now and compares. Writes nothing. */
export async function planChanges(
  db: Database,
  { plan, settings, clock }: { plan: BackfillPlan; settings: Settings; clock: Clock },
): Promise<PlanChanges> {
  return db.transaction("repeatable read").execute(async (transaction) => {
    const { sum } = await addUp(transaction, plan, settings);
    if (sum.digest === plan.digest) return null;
    const basis = await basisOf(transaction, await readPortfolio(transaction, settings), settings, plan.request);
    return {
      before: pick(plan),
      now: pick(sum),
      lines: changedLines(plan.lines, sum.lines),
      meanwhile: await meanwhile(transaction, { ...plan, datasets: plan.request.datasets }),
      portfolio: changedPortfolio(plan, sum.lines, basis),
      prices: changed(plan.basis.prices, basis.prices).filter(({ name }) =>
        [...plan.lines, ...sum.lines].some(({ operation }) => operation === name),
      ),
      settings: plan.request.datasets.filter(
        (name) => !isDeepStrictEqual(plan.basis.settings[name] ?? {}, basis.settings[name] ?? {}),
      ),
      asOf: plan.asOf,
      daysPassed: daysBetween(plan.asOf, clock.today()),
    };
  });
}

function pick({ slices, requests, credits }: Sums): Sums {
  return { slices, requests, credits };
}

function changedLines(before: readonly PlanLine[], now: readonly PlanLine[]): readonly LineChange[] {
  const [old, current] = [sumByScope(before), sumByScope(now)];
  return [...new Map([...old, ...current])]
    .map(([key, { dataset, class: name, store, app, country }]) => ({
      dataset,
      class: name,
      store,
      app,
      country,
      before: pick(old.get(key) ?? none),
      now: pick(current.get(key) ?? none),
    }))
    .filter((line) => !isDeepStrictEqual(line.before, line.now));
}

const none: Sums = { slices: 0, requests: 0, credits: 0 };

/** Adds up lines of several operations: which operation answers does not matter. */
function sumByScope(lines: readonly PlanLine[]): ReadonlyMap<string, PlanLine> {
  const found = new Map<string, PlanLine>();
  for (const line of lines) {
    const key = [line.dataset, line.class, line.store, line.app, line.country].join("\n");
    const before = found.get(key) ?? { ...line, ...none };
    found.set(key, { ...before, ...planTotals([before, line]) });
  }
  return found;
}

/** Only for apps and countries that the plan contains, or would contain now. */
function changedPortfolio(plan: BackfillPlan, now: readonly PlanLine[], basis: PlanBasis): readonly Change<number>[] {
  const about = new Set([...plan.lines, ...now].map(({ store, app, country }) => `${store}:${app} ${country}`));
  const names = new Set([...Object.keys(plan.basis.portfolio), ...Object.keys(basis.portfolio)]);
  return [...names]
    .filter((name) => about.has(name) && plan.basis.portfolio[name]?.digest !== basis.portfolio[name]?.digest)
    .sort()
    .map((name) => ({
      name,
      before: plan.basis.portfolio[name]?.keywords ?? null,
      now: basis.portfolio[name]?.keywords ?? null,
    }));
}

/** Prices that have changed; a price that had never been charged was the documented one. */
function changed(before: Readonly<Record<string, number>>, now: Readonly<Record<string, number>>): Change<number>[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .sort()
    .map((name) => ({ name, before: before[name] ?? null, now: now[name] ?? null }))
    .filter(({ name, before: then, now: learned }) => (then ?? documented(name)) !== (learned ?? documented(name)));
}

/** Null for an operation that is no longer in the contract. */
function documented(operation: string): number | null {
  return operations.find(({ id }) => id === operation)?.cost ?? null;
}
