import * as estimation from "../../api/operations/estimation.ts";
import { businessOver, lastMonth } from "../market/business.ts";
import { answerTable, answerTo, knownApp, publishedDays } from "../answer-context.ts";
import { sumBy } from "../../core/sum.ts";

const both = ["IPHONE", "IPAD"] as const;

/** Answers about downloads and revenue. A month is the sum of its days; without a device the figures are for both. */
export const estimationAnswers = answerTable([
  answerTo(estimation.iosDownloadRevenue, ({ trackId, country, startDate, endDate, device }, context) => {
    const app = knownApp(context, "ios", trackId);
    const days = publishedDays(context, estimation.iosDownloadRevenue, { start: startDate, end: endDate });
    return days.map((day) => {
      const { downloads, revenue } = businessOver(app, country, {
        days: [day],
        devices: device === undefined ? both : [device],
      });
      return { date: day, download: downloads, revenue };
    });
  }),
  answerTo(estimation.iosMonthlyDownloadRevenue, ({ trackId }, context) => {
    const app = knownApp(context, "ios", trackId);
    const parts = app.countries.map((country) => {
      const { downloads, revenue } = businessOver(app, country, { days: lastMonth(context.today), devices: both });
      return [country, { download: downloads, revenue }] as const;
    });
    return {
      countryBreakDown: Object.fromEntries(parts),
      download: sumBy(parts, ([, { download }]) => download),
      revenue: Math.round(sumBy(parts, ([, { revenue }]) => revenue) * 100) / 100,
    };
  }),
]);
