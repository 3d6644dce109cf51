import { createHash } from "node:crypto";
import { accountOf, accountWords } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import type { Day } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { learnedCosts } from "../credits/costs.ts";
import { cancelBeyondPrices, type EndedSlices } from "../ledger/cancel-slices.ts";
import { endedWords } from "../ledger/end-stopped.ts";
import { accountOfPlan, keepPlan, newestPlans, plansAtSpentPrice, readPlan, type KeptPlan } from "../ledger/plans.ts";
import type { Database } from "../postgres/database.ts";
import { checkedRequest, onlyOf, type CheckedRequest, type BackfillRequest } from "./backfill-request.ts";
import { limitCut, type LimitCut } from "./cut-to-limit.ts";
import { noCellNotes } from "./no-cells.ts";
import { createTally, type PlanSum } from "./plan-tally.ts";
import { otherAccountsWords } from "./of-other-accounts.ts";
import { planChunks, type PlanChunk } from "./plan-stream.ts";
import { readPortfolio } from "./portfolio.ts";
import type { SyncRequest } from "./request.ts";
import { readWaitingWork, type WaitingOfRequest } from "./waiting-work.ts";

/** The inputs of a plan that may change before it is run: keywords by `store:app country`, credits by operation, settings by dataset. */
export type PlanBasis = {
  readonly portfolio: Readonly<Record<string, { readonly keywords: number; readonly digest: string }>>;
  readonly prices: Readonly<Record<string, number>>;
  readonly settings: Settings["datasets"];
};

/** What a backfill requests, and the day that counts as today. */
type DatedRequest = { readonly request: BackfillRequest; readonly asOf: Day };

/** A stored plan of a backfill. */
export type BackfillPlan = KeptPlan<BackfillRequest, PlanBasis>;

/**
 * The plan (null if there is nothing to do or nothing fits the limit of credits). `notes`: the parts of the request that are unavailable or
 * that other accounts still fetch, and the slices of other plans that were ended. `waiting`: what waits since earlier runs, if there is
 * nothing to do.
 */
export type MadePlan = {
  readonly plan: BackfillPlan | null;
  readonly leftOut: LimitCut["leftOut"];
  readonly notes: readonly string[];
  readonly waiting?: WaitingOfRequest;
};

/**
 * Plans a backfill from what is known now and stores the plan. Ends what spent prices of other plans do not pay for. Spends nothing and
 * queues nothing. Throws a UsageError for what does not fit.
 */
export async function makePlan(db: Database, { requested, settings, clock }: WantedPlan): Promise<MadePlan> {
  // slices that workers deferred because a price is spent would count as under way, although nothing continues them
  const ended = await cancelBeyondPrices(db);
  const account = accountOf(settings);
  // one snapshot for all reads, even if they take long: the plan is gone through more than once
  return db.transaction("repeatable read").execute(async (transaction) => {
    const { portfolio, request, sum, leftOut, ...found } = await priced(transaction, { requested, settings, clock });
    const others = await otherAccountsNotes(transaction, request, { settings, clock });
    const notes = [...found.notes, ...others, ...endedNote(ended)];
    if (sum === null)
      return { plan: null, leftOut, notes, waiting: await readWaitingWork(transaction, request, { account }) };
    const record = {
      ...sum,
      account,
      asOf: clock.today(),
      request,
      basis: await basisOf(transaction, portfolio, settings, request),
      newestFirst: request.newestFirst,
      naiveCredits: leftOut.slices > 0 ? null : Math.round(sum.naiveCredits),
      leftOut,
    };
    const madeAt = clock.now();
    const planId = await keepPlan(transaction, record, madeAt);
    return { plan: { ...record, planId, madeAt, queuedAt: null }, leftOut, notes };
  });
}

/** A note about the slices of other plans that were ended, and the next step; none if there are none. */
function endedNote(ended: EndedSlices): readonly string[] {
  if (ended.cancelled + ended.failed === 0) return [];
  const sentences = ["Prices of earlier plans are spent.", ...endedWords("of earlier plans", ended)];
  if (ended.cancelled > 0) sentences.push("A new plan includes those of its datasets and days.");
  return [sentences.join(" ")];
}

/**
 * What `makePlan` would return, without storing it: null if there is nothing to do or nothing fits. Writes nothing, so slices that wait at a
 * spent price are under way here; a note names their plans (`spentPlans`). It also works for the reader role.
 */
export async function pricePlan(
  db: Database,
  wanted: WantedPlan,
): Promise<Omit<PricedPlan, "portfolio"> & { readonly spentPlans: readonly string[] }> {
  return db.transaction("repeatable read").execute(async (transaction) => {
    const { request, sum, leftOut, notes } = await priced(transaction, wanted);
    const spentPlans = await plansAtSpentPrice(transaction, request.datasets, accountOf(wanted.settings));
    return { request, sum, leftOut, notes: [...notes, ...spentPlans.map(spentNote)], spentPlans };
  });
}

function spentNote(planId: string): string {
  return `Slices of plan ${planId} wait at a spent price, and this price does not include them: \`storehouse backfill --plan ${planId}\` ends them, and a new plan then includes what is missing.`;
}

/** What a plan of a backfill is made from. */
export type WantedPlan = {
  readonly requested: BackfillRequest;
  readonly settings: Settings;
  readonly clock: Clock;
};

type PricedPlan = CheckedRequest & {
  readonly portfolio: Portfolio;
  readonly sum: PlanSum | null;
  readonly leftOut: LimitCut["leftOut"];
};

async function priced(db: Database, { requested, settings, clock }: WantedPlan): Promise<PricedPlan> {
  const today = clock.today();
  const portfolio = await readPortfolio(db, settings);
  const { request, notes } = checkedRequest(requested, { portfolio, settings, today });
  const nothing = { portfolio, request, notes, sum: null };
  if (request.datasets.length === 0) return { ...nothing, leftOut: { slices: 0, credits: 0 } };
  const { sum, leftOut } = await addUp(db, { request, asOf: today }, settings);
  if (sum.slices > 0) return { portfolio, request, notes, sum, leftOut };
  if (leftOut.slices > 0) return { ...nothing, leftOut };
  const wanted = wantedOf(request, today);
  return { ...nothing, leftOut, notes: [...notes, ...(await noCellNotes(db, wanted, settings))] };
}

function wantedOf(request: BackfillRequest, today: Day): SyncRequest {
  const { datasets, bounds, reprocess } = request;
  return { datasets, bounds, today, only: onlyOf(request), reprocess };
}

/** What other accounts still fetch of a request, as a note; none if that is nothing. */
export async function otherAccountsNotes(
  db: Database,
  request: BackfillRequest,
  { settings, clock }: Pick<WantedPlan, "settings" | "clock">,
): Promise<readonly string[]> {
  // an empty request would mean all datasets
  if (request.datasets.length === 0) return [];
  const words = await otherAccountsWords(db, wantedOf(request, clock.today()), settings);
  return words === null ? [] : [words];
}

/** The plan with this number; throws `plan_of_another` if it is of another account, and `unknown_plan` if there is none. */
export async function knownPlan(db: Database, planId: string, account: string): Promise<BackfillPlan> {
  const plan = await readPlan<BackfillRequest, PlanBasis>(db, planId, account);
  if (plan === null) {
    const owner = await accountOfPlan(db, planId);
    if (owner !== null)
      throw fail("plan_of_another", { plan: planId, account: accountWords(owner), how: howAs(owner) });
    const newest = await newestPlans(db, account);
    const known = newest.length > 0 ? `(the newest: ${newest.join(", ")})` : "(there is none yet)";
    throw fail("unknown_plan", { plan: planId, known });
  }
  return plan;
}

function howAs(account: string): string {
  return account === "" ? "without STOREHOUSE_ACCOUNT" : `with STOREHOUSE_ACCOUNT=${account}`;
}

/** The slices of a plan, planned again from what is known now, but for the day of the plan. */
export async function planAgain(
  db: Database,
  { request, asOf }: DatedRequest,
  settings: Settings,
): Promise<{ readonly chunks: AsyncIterable<PlanChunk>; readonly leftOut: LimitCut["leftOut"] }> {
  const { datasets, bounds, reprocess, newestFirst, mostCredits } = request;
  const only = onlyOf(request);
  const plan = async function* () {
    for await (const chunk of planChunks(db, { datasets, bounds, today: asOf, only, reprocess }, settings, true))
      // the datasets that the named ones are planned from are planned too; a backfill leaves those to sync
      if (datasets.includes(chunk.dataset)) yield chunk;
  };
  const limit = { mostCredits: mostCredits ?? Number.POSITIVE_INFINITY, newestFirst };
  const { cut, leftOut } = await limitCut(plan, limit);
  return { chunks: cut(plan()), leftOut };
}

/** What a plan would be now. */
export async function addUp(
  db: Database,
  plan: DatedRequest,
  settings: Settings,
): Promise<{ readonly sum: PlanSum; readonly leftOut: LimitCut["leftOut"] }> {
  const { chunks, leftOut } = await planAgain(db, plan, settings);
  const tally = createTally();
  for await (const chunk of chunks) tally.add(chunk);
  return { sum: tally.sum(), leftOut };
}

/**
 * True if the request of a plan, on the day of the plan, would find something to do now: what was cancelled is then missing, neither loaded
 * since nor under way. A plan with `reprocess: "all"` always would.
 */
export function isMissingMore(db: Database, plan: DatedRequest, settings: Settings): Promise<boolean> {
  return db.transaction("repeatable read").execute(async (transaction) => {
    const { sum, leftOut } = await addUp(transaction, plan, settings);
    return sum.slices + leftOut.slices > 0;
  });
}

/** The inputs that a plan made now would have. */
export async function basisOf(
  db: Database,
  portfolio: Portfolio,
  settings: Settings,
  { datasets }: Pick<BackfillRequest, "datasets">,
): Promise<PlanBasis> {
  const listed = portfolio.apps.flatMap((app) =>
    app.countries.map(({ country, keywords }) => [
      `${app.store}:${app.trackId} ${country}`,
      { keywords: keywords.length, digest: createHash("sha256").update(JSON.stringify(keywords)).digest("hex") },
    ]),
  );
  const prices = (await learnedCosts(db)).map((cost) => [cost.operation, cost.learned]);
  return {
    portfolio: Object.fromEntries(listed),
    prices: Object.fromEntries(prices),
    settings: Object.fromEntries(Object.entries(settings.datasets).filter(([name]) => datasets.includes(name))),
  };
}
