import * as featuring from "../../api/operations/featuring.ts";
import { addDays } from "../../core/day.ts";
import { categoriesOf } from "../market/charts.ts";
import { hashOf, pick, unit } from "../market/noise.ts";
import { answerTable, answerTo, knownApp, publishedDays } from "../scene.ts";

const kinds = ["FullImage", "AppList", "Grid"] as const;

/** Answers about the cards on which the store shows an app; on most days there is none. */
export const featuringAnswers = answerTable([
  answerTo(featuring.iosFeaturing, ({ trackId, categoryId, startDate, endDate, countryCode }, scene) => {
    const app = knownApp(scene, "ios", trackId);
    const end = endDate ?? scene.today;
    const days = publishedDays(scene, featuring.iosFeaturing, { start: startDate ?? addDays(end, -1), end });
    const countries = app.countries.filter((country) => country === (countryCode ?? country));
    const cards = days.flatMap((day) =>
      countries.flatMap((country) => {
        const hash = hashOf("featured", app.trackId, categoryId, country, day);
        if (!categoriesOf(app).includes(categoryId) || unit(hash) >= 0.2) return [];
        const apps = [...scene.market.competitors(app), app].map((one) => Number(one.trackId));
        const card = { type: pick(hash, kinds), label: "TODAY", title: `${app.name} & friends`, name: app.name, apps };
        return [{ date: day, countryCode: country, data: { cards: [card] } }];
      }),
    );
    return { trackId: Number(trackId), categoryId, cards };
  }),
]);
