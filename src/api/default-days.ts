import { addDays, isDay, type Day } from "../core/day.ts";
import type { Params } from "./address.ts";
import type { Operation } from "./define-operation.ts";

/** The values of a call with the days named that the service uses if they are left out, for a call that is sent on `today` (UTC). */
export function withDefaultDays({ params }: Operation, given: Params, today: Day): Params {
  const valueOf = (name: string): unknown => {
    const named = given[name];
    const byDefault = params[name]?.defaultDay;
    if (named != null || byDefault === undefined) return named;
    const from = byDefault.before === "today" ? today : String(valueOf(byDefault.before));
    return isDay(from) ? addDays(from, -byDefault.days) : undefined;
  };
  const dated = Object.keys(params).filter((name) => params[name]?.defaultDay !== undefined);
  return dated.length === 0 ? given : { ...given, ...Object.fromEntries(dated.map((name) => [name, valueOf(name)])) };
}
