import type { Clock } from "../core/clock.ts";
import { sql, type Queryable } from "./sql.ts";

/**
 * A reading of another clock between two instants of this machine's clock. In epoch-ms; `precisionMs` is the resolution of the other clock.
 */
export type ClockReading = {
  readonly requestedAt: number;
  readonly answeredAt: number;
  readonly time: number;
  readonly precisionMs: number;
};

/** How far another clock is ahead of this machine's (negative if it is behind), and how far they certainly differ. In ms. */
export type ClockSkew = { readonly aheadMs: number; readonly unsureMs: number; readonly sureMs: number };

/** Holds and leases fail beyond this skew. In ms. */
export const skewHarmfulMs = 60_000;

/** Works out how far two clocks differ. */
export function skewOf({ requestedAt, answeredAt, time, precisionMs }: ClockReading): ClockSkew {
  const here = (requestedAt + answeredAt) / 2;
  // the round trip and the resolution of the other clock are not skew
  const unsureMs = (answeredAt - requestedAt) / 2 + precisionMs;
  const aheadMs = time + precisionMs / 2 - here;
  return { aheadMs, unsureMs, sureMs: Math.max(0, Math.abs(aheadMs) - unsureMs) };
}

/** Reads the clock of the database. */
export async function readDatabaseClock(db: Queryable, clock: Pick<Clock, "now">): Promise<ClockReading> {
  // the first query may open the connection
  await sql`select 1`.execute(db);
  const requestedAt = clock.now();
  const { rows } = await sql<{
    ms: number;
  }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db);
  return { requestedAt, answeredAt: clock.now(), time: rows[0]?.ms ?? 0, precisionMs: 0 };
}
