import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { sumBy } from "../core/sum.ts";
import { countOf, listed } from "../core/words.ts";
import { readOpenElsewhere } from "../ledger/open-slices.ts";
import type { Database } from "../postgres/database.ts";
import { datasetsOf } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";
import { wantedPartitions } from "./wanted-partitions.ts";

/**
 * What other accounts are fetching, in a sentence: facts are fetched once, so an account has nothing to request while the slices that it
 * needs wait for the credits or a budget of another account. Null if no slice that this account would plan waits like that.
 */
export async function otherAccountsWords(
  db: Database,
  request: SyncRequest,
  settings: Settings,
): Promise<string | null> {
  // an account's lists and figures belong to that account only
  const datasets = datasetsOf(request, settings).flatMap(({ name, ofAccount }) => (ofAccount === true ? [] : [name]));
  const open = await readOpenElsewhere(db, { datasets, account: accountOf(settings), within: request.bounds });
  // usually there is none, and to find what is wanted takes as long as a plan
  if (open.length === 0) return null;
  const wantedOf = await wantedPartitions(db, { request, settings, of: open });
  const wanted = open.filter((list) => wantedOf(list) !== null);
  if (wanted.length === 0) return null;
  const slices = sumBy(wanted, (list) => list.slices);
  const names = listed([...new Set(wanted.map(({ dataset }) => dataset))]);
  return `Other accounts still have ${countOf(slices, "slice")} of ${names} to fetch, which this account also uses: \`storehouse status\` says what they wait for.`;
}
