import * as estimation from "../../api/operations/keyword-estimation.ts";
import { storeOf } from "../../core/store.ts";
import type { Day } from "../../core/day.ts";
import type { MarketApp } from "../market/apps.ts";
import { hashOf, mix, unit, wander } from "../market/noise.ts";
import { dayNumber } from "../market/ranks.ts";
import { answerTable, answerTo, knownApp, publishedDays, type Scene } from "../answer-context.ts";

/** What a keyword could bring an app on a day: installs are the reach times the rate. */
function estimate(scene: Scene, of: { app: MarketApp; country: string; keyword: string; day: Day }) {
  const { app, country, keyword, day } = of;
  const hash = hashOf("reach", app.trackId, country, keyword);
  const volume = scene.market.facts(app.store, country, keyword).searchVolume;
  const maxReach = Math.round(volume * 120 * (1 + 0.2 * wander(hash, dayNumber(day))));
  const conversionRate = Math.round((0.001 + 0.03 * unit(mix(hash, 1))) * 10_000) / 10_000;
  return { keyword, conversionRate, maxReach, installs: Math.round(maxReach * conversionRate) };
}

/** Answers about the reach of keywords and the installs that it could bring. */
export const keywordEstimationAnswers = answerTable([
  answerTo(estimation.keywordEstimation, ({ trackId, country, keywords }, scene) => {
    const app = knownApp(scene, storeOf(trackId), trackId);
    return {
      trackId,
      country,
      results: keywords.map((keyword) => estimate(scene, { app, country, keyword, day: scene.today })),
    };
  }),
  answerTo(estimation.keywordEstimationHistory, ({ trackId, country, keyword, startDate, endDate }, scene) => {
    const app = knownApp(scene, storeOf(trackId), trackId);
    const days = publishedDays(scene, estimation.keywordEstimationHistory, { start: startDate, end: endDate });
    return {
      trackId,
      country,
      keyword,
      startDate,
      endDate,
      results: days.map((day) => ({ ...estimate(scene, { app, country, keyword, day }), date: day })),
    };
  }),
]);
