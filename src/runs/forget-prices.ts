import { forgetPrices, oldPrices } from "../credits/costs.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { examplePartitions } from "../planner/example-partitions.ts";

/**
 * Resets learned prices that have not been charged for some days and that plans can avoid: no call would ever show that such a price is no
 * longer valid. To be called before a request is planned or its price is shown.
 */
export async function forgetOldPrices({
  db,
  clock,
  learned,
}: Pick<IngestParts, "db" | "clock"> & Partial<Pick<IngestParts, "learned">>): Promise<void> {
  const old = await oldPrices(db, clock.now());
  if (old.length === 0) return;
  const avoidable = avoidableOperations();
  const which = old.filter((operation) => avoidable.has(operation));
  for (const { operation, documented } of await forgetPrices(db, which, clock.now()))
    learned?.set(operation, documented);
}

/** Operations that a plan can replace with others for the same data. */
function avoidableOperations(): ReadonlySet<string> {
  const ways = datasets.flatMap((dataset) =>
    dataset.operations.length === 1
      ? []
      : examplePartitions(dataset).map(({ scope }) => dataset.operationsFor(scope).map(({ id }) => id)),
  );
  return new Set(ways.filter((same) => same.length > 1).flat());
}
