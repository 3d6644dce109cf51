import * as estimation from "../../api/operations/keyword-estimation.ts";
import type { Day } from "../../core/day.ts";
import type { MarketApp } from "../market/apps.ts";
import { hashOf, mix, unit, wander } from "../market/noise.ts";
import { dayNumber } from "../market/ranks.ts";
import { answerTable, answerTo, publishedDays, type AnswerContext, appWithId } from "../answer-context.ts";

/** What a keyword could bring an app on a day: installs are the reach times the rate. */
function estimate(context: AnswerContext, of: { app: MarketApp; country: string; keyword: string; day: Day }) {
  const { app, country, keyword, day } = of;
  const hash = hashOf("reach", app.trackId, country, keyword);
  const volume = context.market.facts(app.store, country, keyword).searchVolume;
  const maxReach = Math.round(volume * 120 * (1 + 0.2 * wander(hash, dayNumber(day))));
  const conversionRate = Math.round((0.001 + 0.03 * unit(mix(hash, 1))) * 10_000) / 10_000;
  return { keyword, conversionRate, maxReach, installs: Math.round(maxReach * conversionRate) };
}

/** Answers about the reach of keywords and the installs that it could bring. */
export const keywordEstimationAnswers = answerTable([
  answerTo(estimation.keywordEstimation, ({ trackId, country, keywords }, context) => {
    const app = appWithId(context, trackId);
    return {
      trackId,
      country,
      results: keywords.map((keyword) => estimate(context, { app, country, keyword, day: context.today })),
    };
  }),
  answerTo(estimation.keywordEstimationHistory, ({ trackId, country, keyword, startDate, endDate }, context) => {
    const app = appWithId(context, trackId);
    const days = publishedDays(context, estimation.keywordEstimationHistory, { start: startDate, end: endDate });
    return {
      trackId,
      country,
      keyword,
      startDate,
      endDate,
      results: days.map((day) => ({ ...estimate(context, { app, country, keyword, day }), date: day })),
    };
  }),
]);
