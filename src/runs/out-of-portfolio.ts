import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { scopeKey } from "../core/slice.ts";
import { datasets as allDatasets } from "../datasets/shared/all.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { cancelLeftBehind, readLeftBehind, type LeftBehind, type LeftBehindOf } from "../ledger/left-behind.ts";
import { partitionsOf } from "../planner/plan-chunks.ts";
import { startsByShard } from "../planner/plan-stream.ts";

type Parts = Pick<IngestParts, "db" | "clock">;

/**
 * Cancels what waits, or failed, of apps, countries and items that were taken out of the portfolio since it was planned: nobody wants it any
 * more, and it would be requested before anything that is wanted. To be called before a process with these settings claims or adopts any.
 */
export async function cancelOutOfPortfolio(
  { db, clock, log }: Parts & Pick<IngestParts, "log">,
  settings: Settings,
  of: Omit<LeftBehindOf, "account">,
): Promise<void> {
  const ids = await outOfPortfolio({ db, clock }, settings, of);
  const cancelled = ids.length === 0 ? 0 : await cancelLeftBehind(db, ids);
  if (cancelled > 0) log.info({ slices: cancelled }, "runs.out_of_portfolio");
}

/** The numbers of the slices that it would cancel by now. */
export async function outOfPortfolio(
  { db, clock }: Parts,
  settings: Settings,
  of: Omit<LeftBehindOf, "account">,
): Promise<readonly string[]> {
  const known = new Set(allDatasets.map(({ name }) => name));
  const all = await readLeftBehind(db, { ...of, account: accountOf(settings) });
  const left = all.filter(({ dataset }) => known.has(dataset));
  if (left.length === 0) return [];
  const names = [...new Set(left.map(({ dataset }) => dataset))];
  const wanted = new Map<string, ReadonlySet<string> | null>();
  const scopes = new Set(left.map(keyOf));
  const request = { datasets: names, bounds: {}, today: clock.today(), isScheduled: true } as const;
  for await (const starts of startsByShard(db, request, settings))
    for (const start of starts)
      for (const { scope, items } of partitionsOf(start)) {
        const key = keyOf({ dataset: start.dataset.name, scope });
        if (scopes.has(key)) wanted.set(key, items === null ? null : new Set(items));
      }
  return left.filter((one) => !isWanted(one, wanted.get(keyOf(one)))).flatMap(({ sliceIds }) => sliceIds);
}

function keyOf({ dataset, scope }: Pick<LeftBehind, "dataset" | "scope">): string {
  return `${dataset} ${scopeKey(scope)}`;
}

/** A list goes on while one of its items is in the portfolio: a call costs the same with fewer. */
function isWanted({ items }: LeftBehind, wanted: ReadonlySet<string> | null | undefined): boolean {
  if (wanted === undefined) return false;
  return items === null || wanted === null || items.some((item) => wanted.has(item));
}
