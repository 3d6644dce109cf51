import { floorCredits, type Floors } from "../core/floors.ts";
import { creditClasses, type CreditClass } from "../core/slice.ts";

/** What a forecast is made from. Credits and requests by class; the allowance as last reported, times in epoch-ms. */
export type ForecastInput = {
  readonly work: Readonly<Record<CreditClass, { readonly credits: number; readonly requests: number }>>;
  readonly floors: Floors;
  readonly total: number;
  readonly remaining: number;
  readonly resetsAt: number;
  readonly periodMs: number;
  readonly requestsPerSecond: number;
  readonly now: number;
  /** Credits that history leaves for nights from an instant until the reset after it, if that is more than its floor. */
  readonly keptForNights: (from: number, resetsAt: number) => number;
};

/** How many allowance periods the work takes, including the current one, and when it would be done (epoch-ms); null if never. */
export type Forecast = { readonly periods: number; readonly doneAt: number } | null;

/** A plan that needs more than this many periods is not forecast: nobody waits that long, and a floor may leave too little per period. */
const mostPeriods = 10_000;

/**
 * When the work would be done if only the nights spent credits besides: period by period and class by class, each down to its floor, and
 * history to what the nights take, within the pace.
 */
export function forecast(input: ForecastInput): Forecast {
  const left = new Map(creditClasses.map((name) => [name, { ...input.work[name] }]));
  let [from, until, balance] = [input.now, input.resetsAt, input.remaining];
  for (let period = 1; period <= mostPeriods; period += 1) {
    let seconds = (until - from) / 1000;
    for (const name of creditClasses) {
      const work = left.get(name);
      if (work === undefined || work.requests === 0) continue;
      const perRequest = work.credits / work.requests;
      const kept = name === "history" ? input.keptForNights(from, until) : 0;
      const spendable = Math.max(0, balance - Math.max(floorCredits(input.total, input.floors[name]), kept));
      const affordable = perRequest === 0 ? work.requests : Math.floor(spendable / perRequest);
      const requests = Math.min(work.requests, affordable, Math.floor(seconds * input.requestsPerSecond));
      work.requests -= requests;
      work.credits -= requests * perRequest;
      balance -= requests * perRequest;
      seconds -= requests / input.requestsPerSecond;
    }
    if ([...left.values()].every((work) => work.requests === 0))
      return { periods: period, doneAt: Math.round(until - seconds * 1000) };
    [from, until, balance] = [until, until + input.periodMs, input.total];
  }
  return null;
}
