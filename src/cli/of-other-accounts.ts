import type { App } from "../app.ts";
import { accountOf } from "../config/config-of-account.ts";
import type { SyncRequest } from "../planner/request.ts";
import { datasetsOf } from "../planner/plan-stream.ts";
import { wantedPartitions } from "../planner/wanted-partitions.ts";
import { readOpenElsewhere } from "../ledger/open-slices.ts";
import { sumBy } from "../core/sum.ts";
import { countOf, listed } from "../core/words.ts";

/**
 * What other accounts are fetching, in a sentence: facts are fetched once, so an account has nothing to request while the slices that it
 * needs wait for the credits or a budget of another account. Null if no slice that this account would plan waits like that.
 */
export async function otherAccountsWords({ warehouse, config }: App, request: SyncRequest): Promise<string | null> {
  const { settings } = config;
  // an account's lists and figures belong to that account only
  const names = datasetsOf(request, settings).flatMap(({ name, ofAccount }) => (ofAccount === true ? [] : [name]));
  const open = await readOpenElsewhere(warehouse.db, names, accountOf(settings));
  // usually there is none, and to find what is wanted takes as long as a plan
  if (open.length === 0) return null;
  const wantedOf = await wantedPartitions(warehouse.db, { request, settings, of: open });
  const wanted = open.filter((list) => wantedOf(list) !== null);
  if (wanted.length === 0) return null;
  const slices = sumBy(wanted, (list) => list.slices);
  const datasets = listed([...new Set(wanted.map(({ dataset }) => dataset))]);
  return `Other accounts still have ${countOf(slices, "slice")} of ${datasets} to fetch, which this account also uses: \`storehouse status\` says what they wait for.`;
}
