import { z } from "zod";
import type { Portfolio } from "../../core/portfolio.ts";
import type { Scope } from "../../core/slice.ts";
import type { Timing } from "../../core/timing.ts";

/** Advertising is reported as an aggregate over at most 30 days: the newest complete period of 30, requested once it is over. */
export const thirtyDays: Timing = {
  kind: "period",
  grid: { days: 30 },
  settleDays: 1,
  lookbackDays: 0,
  historyDays: 30,
  emptyHoldsDays: 15,
};

/** Search ads are reported as aggregates over at most 14 days: the newest complete period of 14. */
export const fourteenDays: Timing = {
  kind: "period",
  grid: { days: 14 },
  settleDays: 1,
  lookbackDays: 0,
  historyDays: 14,
  emptyHoldsDays: 7,
};

/** The option of the areas that calls are made for; the scope names its area, and the country if the area is one. */
export const areas = z.array(z.enum(["all", "each"])).min(1);

/** The option of networks: one call per network, or one for all of them together. */
export const networks = z
  .array(z.string().min(1))
  .default([])
  .describe("Names of networks to request one by one; all networks together in one call if left out.");

/** The scopes of one app by the areas that were chosen: all countries together, and each of the app in the portfolio. */
export function appAreas(portfolio: Portfolio, chosen: z.output<typeof areas>): readonly Scope[] {
  return portfolio.apps.flatMap(({ store, trackId: app, countries }) => [
    ...(chosen.includes("all") ? [{ store, app, area: "all" }] : []),
    ...(chosen.includes("each") ? countries.map(({ country }) => ({ store, app, area: "each", country })) : []),
  ]);
}

/** A scope once for each value of a part; unchanged if no value was chosen. */
export function forEach(scope: Scope, name: string, values: readonly (string | number)[]): readonly Scope[] {
  return values.length === 0 ? [scope] : values.map((value) => ({ ...scope, [name]: String(value) }));
}

/** The parameters of a call that its scope narrows: country and network, if it names them. */
export function narrowed({ country, network }: Scope) {
  return {
    ...(country === undefined ? {} : { countryCode: country }),
    ...(network === undefined ? {} : { network }),
  };
}
