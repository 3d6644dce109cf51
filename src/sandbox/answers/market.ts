import * as market from "../../api/operations/market.ts";
import type { Operation } from "../../api/define-operation.ts";
import type { Store } from "../../core/store.ts";
import { addDays, type Day } from "../../core/day.ts";
import { visibilityOn } from "../market/business.ts";
import { answerTable, answerTo, knownApp, publishedDays, type AnswerContext, yesterday } from "../answer-context.ts";

/** Days that a history covers if no day is named. */
const historyDays = 30;

type Requested = {
  readonly body: readonly string[];
  readonly countries: readonly string[];
  readonly startDate?: Day | undefined;
  readonly endDate?: Day | undefined;
};

function history(context: AnswerContext, operation: Operation, store: Store, requested: Requested) {
  const end = requested.endDate ?? context.today;
  const days = publishedDays(context, operation, { start: requested.startDate ?? addDays(end, -historyDays), end });
  return requested.body.flatMap((trackId) => {
    const app = context.market.app(store, trackId);
    if (app === null) return [];
    const scores = requested.countries.map((country) => [
      country,
      days.filter((day) => day >= app.released).map((date) => ({ date, score: visibilityOn(app, country, date) })),
    ]);
    return [{ trackId, scores: Object.fromEntries(scores) as Record<string, { date: Day; score: number }[]> }];
  });
}

/** Answers across the stores: the same app in the other one, and how visible apps are. */
export const marketAnswers = answerTable([
  answerTo(market.appMatch, ({ store, trackId }, context) => {
    const [own, other] = store === "ios" ? (["ios", "android"] as const) : (["android", "ios"] as const);
    const app = knownApp(context, own, trackId);
    const match = context.market.apps.find(
      (one) => one.store === other && one.name === app.name && one.developer === app.developer,
    );
    return match?.trackId ?? null;
  }),
  answerTo(market.visibilityScore, ({ store, country, trackIds }, context) => {
    const known = trackIds.flatMap((trackId) => context.market.app(store, trackId) ?? []);
    return Object.fromEntries(known.map((app) => [app.trackId, visibilityOn(app, country, yesterday(context))]));
  }),
  answerTo(market.iosVisibilityHistory, (requested, context) =>
    history(context, market.iosVisibilityHistory, "ios", requested),
  ),
  answerTo(market.androidVisibilityHistory, (requested, context) =>
    history(context, market.androidVisibilityHistory, "android", requested),
  ),
]);
