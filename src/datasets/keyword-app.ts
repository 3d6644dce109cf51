import type { z } from "zod";
import { androidKeywordApps, iosKeywordApps } from "../api/operations/keyword-apps.ts";
import { AnyTrackId } from "../api/values.ts";
import { appRef, defineTable, extraOf } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { keywordCountries } from "./shared/portfolio-partitions.ts";
import { checkItems } from "./shared/check-items.ts";
import { isOther } from "./shared/values.ts";
import { clockOf } from "./shared/instants.ts";

const table = defineTable({
  name: "core.fact_keyword_app",
  columns: {
    keyword_key: "keyword",
    date_day: "day",
    country_key: "country",
    store: "text",
    device_key: "device",
    position: "int",
    app_key: "app",
    updated_at: "timestamp",
    extra: "json",
  },
  key: ["keyword_key", "date_day", "country_key", "store", "device_key", "position"],
  load: { kind: "replace", scope: ["keyword_key", "date_day", "country_key", "store"] },
  partitioned: true,
});
const known = ["keyword", "countryCode", "lastUpdateDate", "iphoneApps", "ipadApps", "apps"];

type Answer = Partial<z.output<typeof iosKeywordApps.answer> & z.output<typeof androidKeywordApps.answer>> & {
  readonly keyword: string;
};

/** What a search shows: the apps for a keyword; their order in the list is their position. */
export const keywordApp = defineDataset({
  name: "keyword_app",
  summary:
    "The apps that a search for each portfolio keyword shows, by store, country, device and position, on the day of observation.",
  stage: "market",
  on: false,
  why: "5 credits per keyword and country each week; 200 keywords in 5 countries cost 5,000",
  timing: { kind: "snapshot", refreshDays: 7 },
  tables: [table],
  operations: { ios: iosKeywordApps, android: androidKeywordApps },
  fromKeywords: true,
  partitions: keywordCountries,
  request: ({ scope }) => ({ countryCode: part(scope, "country"), keyword: part(scope, "keyword") }),
  normalise: ({ scope, window }, pages) => {
    const { fitting, invalid } = checkItems(
      pages as readonly Answer[],
      (answer) => (isOther(scope, answer) ? "a keyword or country that was not requested" : null),
      ({ keyword, countryCode }) => ({ keyword, countryCode }),
    );
    const store = part(scope, "store");
    const reported = fitting.flatMap((answer) => placesOf(answer).map((place) => ({ ...place, answer })));
    const rows = reported.flatMap(({ answer, device, position, trackId }) =>
      trackId === undefined
        ? []
        : {
            keyword_key: part(scope, "keyword"),
            date_day: window.start,
            country_key: part(scope, "country"),
            store,
            device_key: device,
            position,
            app_key: appRef(store, trackId),
            updated_at: clockOf(answer.lastUpdateDate),
            extra: extraOf(answer, known),
          },
    );
    const nameless = reported
      .filter(({ trackId }) => trackId === undefined)
      .map(({ device, position, item }) => ({ reason: "no track id", item: { device, position, item } }));
    return { rows: { [table.name]: rows }, invalid: [...invalid, ...nameless] };
  },
});

/** The entries of an answer's lists, each with its device and place. */
function placesOf({ iphoneApps, ipadApps, apps }: Answer) {
  const lists = { IPHONE: iphoneApps, IPAD: ipadApps, ALL: apps };
  return Object.entries(lists).flatMap(([device, list]) =>
    (list ?? []).map((item, index) => ({
      device,
      position: index + 1,
      item,
      trackId: AnyTrackId.safeParse(item).data,
    })),
  );
}
