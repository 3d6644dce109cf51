import { inGroups } from "../core/partition-group.ts";
import { sumBy } from "../core/sum.ts";
import { countOf } from "../core/words.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { planOfRequest, readWaitingSlices } from "../ledger/waiting-slices.ts";
import type { Database } from "../postgres/database.ts";
import { onlyOf, type BackfillRequest } from "./backfill-request.ts";
import { isWanted } from "./request.ts";

/**
 * Slices of the days of a backfill that wait since earlier runs. `dueAt`: when the first of them may continue; null if that is not known.
 * `plans`: the plans that they belong to, oldest first. `isInPlans`: whether each belongs to one. `ofSameRequest`: the oldest of these plans
 * that was made for the same request; null if none was.
 */
export type WaitingOfRequest = {
  readonly slices: number;
  readonly dueAt: Date | null;
  readonly plans: readonly string[];
  readonly isInPlans: boolean;
  readonly ofSameRequest: string | null;
};

/** Reads what waits of the days, apps, countries and partitions of a request for its account; `without`: plans whose slices are left out. */
export async function readWaitingWork(
  db: Database,
  request: BackfillRequest,
  { account, without = [] }: { readonly account: string; readonly without?: readonly string[] },
): Promise<WaitingOfRequest> {
  const { datasets, bounds } = request;
  const only = onlyOf(request);
  const found = (await readWaitingSlices(db, { account, datasets, within: bounds })).filter(
    ({ dataset, scope, planId }) =>
      isWanted(scope, datasetNamed(dataset), only) &&
      inGroups(dataset, only.groups ?? [])(scope) &&
      (planId === null || !without.includes(planId)),
  );
  const plans = [...new Set(found.flatMap(({ planId }) => planId ?? []))].sort((a, b) => Number(a) - Number(b));
  const [dueAt = null] = found.flatMap((one) => one.dueAt ?? []).sort((a, b) => a.getTime() - b.getTime());
  return {
    slices: sumBy(found, ({ slices }) => slices),
    dueAt,
    plans,
    isInPlans: found.every(({ planId }) => planId !== null),
    ofSameRequest: await planOfRequest(db, plans, request),
  };
}

/** The datasets that a person named, and how times are written. */
type WaitingTexts = { readonly datasets: readonly string[]; readonly timeText: (time: Date) => string };

/** Says that a backfill has nothing to plan, and why. */
export function nothingNewWords(waiting: WaitingOfRequest | undefined, texts: WaitingTexts): string {
  return waiting === undefined || waiting.slices === 0
    ? "Nothing to do: everything requested that is available is loaded or under way."
    : `Nothing new to request. ${waitingWords(waiting, texts)}`;
}

/** Says that slices of the days of a backfill wait since earlier runs, and which commands continue them. */
export function waitingWords(
  { slices, dueAt, plans, isInPlans }: WaitingOfRequest,
  { datasets, timeText }: WaitingTexts,
): string {
  const until = dueAt === null ? "" : `, the first until ${timeText(dueAt)}`;
  const commands = [
    ...plans.map((plan) => `\`storehouse backfill --plan ${plan}\``),
    ...(isInPlans ? [] : [`\`storehouse sync ${datasets.map((name) => `--dataset ${name}`).join(" ")}\``]),
  ];
  const continues =
    commands.length === 1 ? `${commands[0]} continues, and so does` : `${commands.join(", ")} continue, and so does`;
  return `${countOf(slices, "slice of an earlier run waits", "slices of earlier runs wait")}${until}: ${continues} \`storehouse worker\`.`;
}
