import type { Day } from "../core/day.ts";
import { sql, type Queryable } from "../postgres/sql.ts";

/** What callers of the gateway used and saved on a day (UTC). */
export type CallerUse = {
  readonly day: Day;
  readonly caller: string;
  /** Calls that got a stored answer, and calls that got the answer of an equal call under way. */
  readonly hits: number;
  readonly joined: number;
  /** Requests that were sent to the API, with any outcome, and the credits charged for them. */
  readonly requests: number;
  readonly charged: number;
  /** Credits that the calls that were not sent would have cost. */
  readonly saved: number;
};

/** Counts a call of a caller that was not sent, and the credits that it would have cost. */
export async function noteSpared(
  db: Queryable,
  {
    day,
    caller,
    from,
    saved,
  }: { readonly day: Day; readonly caller: string; readonly from: "hit" | "joined"; readonly saved: number },
): Promise<void> {
  const [hits, joined] = from === "hit" ? [1, 0] : [0, 1];
  await sql`
    insert into ops.gateway_use as u (caller, date_day, hit_count, joined_count, saved_credits)
    values (${caller}, ${day}::date, ${hits}, ${joined}, ${saved})
    on conflict (caller, date_day) do update
    set    hit_count = u.hit_count + excluded.hit_count, joined_count = u.joined_count + excluded.joined_count,
           saved_credits = u.saved_credits + excluded.saved_credits`.execute(db);
}

/** What each caller used and saved on each day since the given one, the newest day first. Charges count only requests that are kept. */
export async function readCallerUse(db: Queryable, from: Day): Promise<readonly CallerUse[]> {
  const { rows } = await sql<CallerUse>`
    select date_day as day, caller, hit_count::float8 as hits, joined_count::float8 as joined, request_count::float8 as requests,
           credit_count::float8 as charged, saved_credits::float8 as saved
    from   ops.gateway_use_daily
    where  date_day >= ${from}::date
    order  by date_day desc, caller`.execute(db);
  return rows;
}
