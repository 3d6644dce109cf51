import { errorCodes, type ErrorCode } from "../../src/core/error-codes.ts";
import type { Stage } from "./ingest-stage.ts";

type Booked = { readonly operation: string; readonly cost: number; readonly error_code: ErrorCode | null };

/** The sandbox's own books against the ledger. */
export type Books = {
  /** What the sandbox charged. */
  readonly charged: number;
  /** Of that what the ledger books as the cost of no call, and has a call on record whose answer was lost. */
  readonly lost: number;
  /** Charges of which the ledger has no record, neither a cost nor a lost call. */
  readonly unexplained: readonly { readonly operation: string; readonly charge: number }[];
  /** Costs that are booked and were never charged. */
  readonly invented: readonly number[];
};

/** Compares them operation by operation. */
export async function books(stage: Stage): Promise<Books> {
  const booked = await stage.query<Booked>("select operation, cost, error_code from ops.request");
  const rowsOf = Map.groupBy(booked, ({ operation }) => operation);
  const chargesOf = Map.groupBy(stage.requested(), ({ operation }) => operation ?? "");
  const found = [...chargesOf].map(([operation, requested]) => {
    const rows = rowsOf.get(operation) ?? [];
    const unbooked = requested.map(({ charged }) => charged).filter((charge) => charge > 0);
    const invented = rows
      .map(({ cost }) => cost)
      .filter((cost) => cost > 0)
      .filter((cost) => !unbooked.includes(cost) || unbooked.splice(unbooked.indexOf(cost), 1).length === 0);
    const lost = rows.filter((row) => row.cost === 0 && row.error_code !== null && mayBeCharged(row.error_code));
    const named = unbooked.slice(0, lost.length);
    return { invented, named, unexplained: unbooked.slice(lost.length).map((charge) => ({ operation, charge })) };
  });
  const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
  return {
    charged: sum(stage.requested().map(({ charged }) => charged)),
    lost: sum(found.flatMap(({ named }) => named)),
    unexplained: found.flatMap(({ unexplained }) => unexplained),
    invented: found.flatMap(({ invented }) => invented),
  };
}

function mayBeCharged(code: ErrorCode): boolean {
  const entry = errorCodes[code];
  return "charged" in entry && entry.charged;
}
