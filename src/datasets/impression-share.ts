import { androidOrganicImpressionShare, iosOrganicImpressionShare } from "../api/operations/keyword-apps.ts";
import { storeOf } from "../core/store.ts";
import { appRef, defineTable } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { keywordCountryDevices } from "./shared/portfolio-partitions.ts";
import { shareColumns, shareParams, sharesOf } from "./shared/keyword-shares.ts";
import { checkItems } from "./shared/check-items.ts";

const table = defineTable({
  name: "core.fact_impression_share",
  columns: {
    ...shareColumns,
    share_day: "date",
    app_key: "app",
    impression_share: "number",
    answer_day: "date",
    extra: "json",
  },
  key: ["keyword_key", "date_day", "country_key", "store", "device_key", "share_day", "app_key"],
  load: { kind: "replace", scope: ["keyword_key", "date_day", "country_key", "store", "device_key"] },
  partitioned: true,
});

/** Which apps get the impressions of a keyword, without advertisements. */
export const impressionShare = defineDataset({
  name: "impression_share",
  summary:
    "Which app gets which share of the impressions of each portfolio keyword, by store, country, device and day of observation.",
  family: "visibility",
  stage: "market",
  on: false,
  why: "20 credits per keyword, country and device each week",
  timing: { kind: "snapshot", refreshDays: 7 },
  tables: [table],
  operations: { ios: iosOrganicImpressionShare, android: androidOrganicImpressionShare },
  fromKeywords: true,
  partitions: keywordCountryDevices,
  request: shareParams,
  normalise: (slice, pages) => {
    const store = part(slice.scope, "store");
    const { shares, invalid } = sharesOf(slice, pages);
    const own = checkItems(shares, ({ owner }) =>
      owner !== "" && storeOf(owner) === store ? null : "no track id of the requested store",
    );
    const rows = own.fitting.map(({ owner, columns: { share, ...columns } }) => ({
      ...columns,
      app_key: appRef(store, owner),
      impression_share: share,
    }));
    return { rows: { [table.name]: rows }, invalid: [...invalid, ...own.invalid] };
  },
});
