import { sql } from "kysely";
import { creditClasses } from "../core/slice.ts";

/**
 * SQL: the turn of a slice of `s` with its plan's `newest_first`, lower first: classes, then days, newest first or oldest first. Days
 * are below 40,000 up to the year 2100.
 */
export const turnOf = sql`(array_position(${[...creditClasses]}::text[], s.class) * 100000
  + case when newest_first then date '2100-01-01' - s.window_end else s.window_start - date '2000-01-01' end)`;
