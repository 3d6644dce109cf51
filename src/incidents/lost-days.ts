import { readDaysAtRisk, type DayAtRisk } from "../ledger/days-at-risk.ts";
import { newlyLost, readLostDays, type LostDay } from "../ledger/lost-days.ts";
import type { Database } from "../postgres/database.ts";
import { problem, type Problem } from "./problems.ts";
import { sumBy } from "../core/sum.ts";

/** Snapshots that are at risk, and those that were lost within a day. */
export async function dayProblems(db: Database, now: number): Promise<readonly Problem[]> {
  return [...riskProblems(await readDaysAtRisk(db, now)), ...lostProblems(await readLostDays(db), now)];
}

function riskProblems(risks: readonly DayAtRisk[]): readonly Problem[] {
  if (risks.length === 0) return [];
  const earliest = (instants: readonly Date[]) => Math.min(...instants.map((one) => one.getTime()));
  return [
    problem({
      kind: "day_at_risk",
      since: earliest(risks.map(({ since }) => since)),
      facts: {
        datasets: risks.map(({ dataset }) => dataset),
        cells: sumBy(risks, ({ cells }) => cells),
        lost_at: new Date(earliest(risks.map(({ lostAt }) => lostAt))).toISOString(),
      },
    }),
  ];
}

function lostProblems(lost: readonly LostDay[], now: number): readonly Problem[] {
  const days = newlyLost(lost, now);
  if (days.length === 0) return [];
  return [
    problem({
      kind: "day_lost",
      since: Math.min(...days.map(({ notedAt }) => notedAt.getTime())),
      facts: {
        datasets: [...new Set(days.map(({ dataset }) => dataset))].sort(),
        days: [...new Set(days.map(({ day }) => day))].sort(),
        cells: sumBy(days, ({ cells }) => cells),
        cells_ever: sumBy(lost, ({ cells }) => cells),
      },
    }),
  ];
}
