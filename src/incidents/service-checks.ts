import { readSliceSums } from "../ledger/slice-sums.ts";
import { accountOf } from "../config/config-of-account.ts";
import { addDays, hourMs } from "../core/day.ts";
import { readOutage } from "../ledger/api-outages.ts";
import { readWorkerGap } from "../ledger/worker-counts.ts";
import type { CheckParts } from "./check-parts.ts";
import { atRisk } from "./lateness.ts";
import { problem, type Problem } from "./problems.ts";

/** An API that has not responded for some minutes: what is at risk, and when it is lost. */
export async function outageProblems({ db, accountId, ...parts }: CheckParts): Promise<readonly Problem[]> {
  const { clock, settings } = parts;
  const outage = await readOutage(db, accountId, clock.now());
  if (outage === null || clock.now() - outage.since.getTime() < settings.notify.outage_minutes * 60_000) return [];
  const risk = atRisk(await readSliceSums(db), parts);
  // loaded rows of today cannot be lost; those of tomorrow are lost a day later
  const lostOn = addDays(clock.today(), risk.length > 0 ? 1 : 2);
  return [
    problem({
      kind: "api_unavailable",
      accountId,
      since: outage.since.getTime(),
      facts: { error_code: outage.code, at_risk: risk, lost_at: `${lostOn}T00:00:00.000Z` },
    }),
  ];
}

/** A shorter time without a worker is a restart. */
const gapMs = 15 * 60_000;
/** For this long after a worker is back, problems that it is still catching up on count as effects of the gap. */
const catchUpMs = hourMs;

/** A time without a worker of the account that ended a short while ago. */
export async function workerProblems({ db, settings, accountId }: CheckParts): Promise<readonly Problem[]> {
  const gap = await readWorkerGap(db, { account: accountOf(settings), longerThanMs: gapMs, endedWithinMs: catchUpMs });
  if (gap === null) return [];
  const facts = { until: gap.to.toISOString(), ended_as: gap.endedAs };
  return [problem({ kind: "no_worker", subject: "", accountId, since: gap.from.getTime(), facts })];
}
