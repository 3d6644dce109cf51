import * as featuring from "../../api/operations/featuring.ts";
import { addDays } from "../../core/day.ts";
import type { MarketApp } from "../market/apps.ts";
import { categoriesOf } from "../market/charts.ts";
import { hashOf, mix, pick, unit } from "../market/noise.ts";
import { answerTable, answerTo, knownApp, publishedDays, type AnswerContext } from "../answer-context.ts";

const kinds = ["FullImage", "AppList", "Grid"] as const;

/** A card about one app only, or one that lists it among others. */
function cardOf(context: AnswerContext, app: MarketApp, hash: number) {
  const type = pick(hash, kinds);
  const shown = {
    type,
    label: "TODAY",
    title: `${app.name} & friends 🌱`,
    name: app.name,
    shortName: app.name.slice(0, 8),
  };
  if (type === "FullImage")
    return { ...shown, link: `/app/${app.trackId}`, imageUrl: `https://cards.example/${hash}.jpg` };
  const others = context.market.neighbours(app).map((one) => Number(one.trackId));
  const place = hash % (others.length + 1);
  return { ...shown, apps: [...others.slice(0, place), Number(app.trackId), ...others.slice(place)] };
}

/** Answers about the cards on which the store shows an app; on most days there is none, on some there are two. */
export const featuringAnswers = answerTable([
  answerTo(featuring.iosFeaturing, ({ trackId, categoryId, startDate, endDate, countryCode }, context) => {
    const app = knownApp(context, "ios", trackId);
    const end = endDate ?? context.today;
    const days = publishedDays(context, featuring.iosFeaturing, { start: startDate ?? addDays(end, -1), end });
    const countries = app.countries.filter((country) => country === (countryCode ?? country));
    const cards = days.flatMap((day) =>
      countries.flatMap((country) => {
        const hash = hashOf("featured", app.trackId, categoryId, country, day);
        if (!categoriesOf(app).includes(categoryId) || unit(hash) >= 0.2) return [];
        const hashes = unit(hash) < 0.05 ? [hash, mix(hash, 1)] : [hash];
        return [{ date: day, countryCode: country, data: { cards: hashes.map((one) => cardOf(context, app, one)) } }];
      }),
    );
    return { trackId: Number(trackId), categoryId, cards };
  }),
]);
