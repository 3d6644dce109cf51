import { readFindings } from "../ledger/findings.ts";
import type { CheckParts } from "./check-parts.ts";
import { kindNamed } from "./kinds.ts";
import type { Problem } from "./problems.ts";

/** Findings that other rooms have written. A finding of a kind that only another version knows is left to that version. */
export async function raisedProblems({ db, clock }: CheckParts): Promise<readonly Problem[]> {
  const found = await readFindings(db, clock.now());
  return found
    .filter(({ kind }) => kindNamed(kind)?.isRaised === true)
    .map(({ kind, subject, accountId, facts, foundAt }) => {
      const one = { kind, subject, accountId, since: foundAt.getTime(), facts };
      return one as unknown as Problem;
    });
}
