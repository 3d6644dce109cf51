import { sql } from "../postgres/sql.ts";

/** SQL: the day on which a slice `s` was planned: each time its call is put off, `as_of` moves on. */
export const plannedOn = sql`least(s.as_of, (s.created_at at time zone 'UTC')::date)`;
