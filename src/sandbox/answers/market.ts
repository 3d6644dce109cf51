import * as market from "../../api/operations/market.ts";
import type { Operation } from "../../api/define-operation.ts";
import type { Store } from "../../core/store.ts";
import { addDays, type Day } from "../../core/day.ts";
import { visibilityOn } from "../market/business.ts";
import { answerTable, answerTo, knownApp, publishedDays, type Scene } from "../answer-context.ts";

/** Days that a history covers when no day is named. */
const historyDays = 30;

type Asked = {
  readonly body: readonly string[];
  readonly countries: readonly string[];
  readonly startDate?: Day | undefined;
  readonly endDate?: Day | undefined;
};

function history(scene: Scene, operation: Operation, store: Store, asked: Asked) {
  const end = asked.endDate ?? scene.today;
  const days = publishedDays(scene, operation, { start: asked.startDate ?? addDays(end, -historyDays), end });
  return asked.body.flatMap((trackId) => {
    const app = scene.market.app(store, trackId);
    if (app === null) return [];
    const scores = asked.countries.map((country) => [
      country,
      days.filter((day) => day >= app.released).map((date) => ({ date, score: visibilityOn(app, country, date) })),
    ]);
    return [{ trackId, scores: Object.fromEntries(scores) as Record<string, { date: Day; score: number }[]> }];
  });
}

/** Answers across the stores: the same app in the other one, and how visible apps are. */
export const marketAnswers = answerTable([
  answerTo(market.appMatch, ({ store, trackId }, scene) => {
    const [own, other] = store === "ios" ? (["ios", "android"] as const) : (["android", "ios"] as const);
    const app = knownApp(scene, own, trackId);
    const match = scene.market.apps.find(
      (one) => one.store === other && one.name === app.name && one.developer === app.developer,
    );
    return match?.trackId ?? null;
  }),
  answerTo(market.visibilityScore, ({ store, country, trackIds }, scene) => {
    const known = trackIds.flatMap((trackId) => scene.market.app(store, trackId) ?? []);
    return Object.fromEntries(known.map((app) => [app.trackId, visibilityOn(app, country, addDays(scene.today, -1))]));
  }),
  answerTo(market.iosVisibilityHistory, (asked, scene) => history(scene, market.iosVisibilityHistory, "ios", asked)),
  answerTo(market.androidVisibilityHistory, (asked, scene) =>
    history(scene, market.androidVisibilityHistory, "android", asked),
  ),
]);
