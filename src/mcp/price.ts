import { accountOf } from "../config/config-of-account.ts";
import { backfillCommand, type BackfillRequest } from "../planner/backfill-request.ts";
import { otherAccountsNotes, pricePlan } from "../planner/backfill-plan.ts";
import { datasetsAtLeast, workOf } from "../planner/plan-work.ts";
import { nothingNewWords, readWaitingWork } from "../planner/waiting-work.ts";
import { finishWords, readOutlook } from "../planner/work-outlook.ts";
import type { ServerParts } from "./parts.ts";

const timeText = (time: Date) => time.toISOString();

/**
 * What a backfill would cost, as `storehouse backfill --dry-run` prices it, and the command with which a person runs it. Writes and spends
 * nothing.
 */
export async function priceOf({ db, settings, clock }: ServerParts, requested: BackfillRequest) {
  const { request, sum, leftOut, notes, spentPlans } = await pricePlan(db, { requested, settings, clock });
  const waiting = await readWaitingWork(db, request, { account: accountOf(settings), without: spentPlans });
  const work = workOf(sum?.lines ?? []);
  const outlook = sum && finishWords(await readOutlook({ db, settings, clock }, sum.lines), timeText);
  return {
    slices: sum?.slices ?? 0,
    requests: sum?.requests ?? 0,
    credits: sum?.credits ?? 0,
    by_dataset: work.map(({ dataset, class: name, slices, requests, credits }) => ({
      dataset,
      class: name,
      slices,
      requests,
      credits,
    })),
    // answers with several pages may cost more
    at_least: datasetsAtLeast(work, settings),
    left_out: leftOut,
    notes: [...notes, ...(await otherAccountsNotes(db, request, { settings, clock }))],
    command: sum === null ? null : backfillCommand(request),
    says:
      outlook === null
        ? leftOut.slices > 0
          ? "Nothing fits within max_credits."
          : nothingNewWords(waiting, { datasets: request.datasets, timeText })
        : `Nothing was spent. A person decides: the command shows this price again and runs only after confirmation. ${outlook.join(" ")}`,
  };
}
