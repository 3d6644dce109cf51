import type { z } from "zod";
import { androidVersionListDetailed, iosVersionListDetailed } from "../api/operations/version.ts";
import { rangeParams } from "../api/range.ts";
import type { Store } from "../core/store.ts";
import { defineTable, extraOf, jsonOf } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { appPages, pageKey, pageOptions, localeParams } from "./shared/portfolio-partitions.ts";
import { readInstant } from "./shared/instants.ts";

const table = defineTable({
  name: "core.app_change",
  columns: {
    app_key: "app",
    country_key: "country",
    language_code: "text",
    version_at: "timestamp",
    version: "text",
    property: "text",
    old_value: "json",
    new_value: "json",
    extra: "json",
  },
  key: ["app_key", "country_key", "language_code", "version_at", "version", "property"],
  load: { kind: "upsert" },
  partitioned: false,
});

const operations = { ios: iosVersionListDetailed, android: androidVersionListDetailed } as const;

type Change = z.output<typeof iosVersionListDetailed.answer>[number];

/** What changed with each release of the portfolio's apps, with the values before and after. */
export const appChange = defineDataset({
  name: "app_change",
  summary:
    "What changed with each release of each portfolio app: one row per changed property, with its old and new value.",
  stage: "market",
  on: false,
  why: "50 credits per app and month",
  timing: { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 30, packDays: 30, packIsFull: true },
  // most apps pause between releases, and a call is expensive: days are requested again only after a long gap
  reportedBy: { column: "version_at", quietDays: 13 },
  tables: [table],
  operations,
  options: pageOptions,
  byApp: true,
  partitions: (portfolio, options) => appPages(portfolio, options).map(({ scope }) => ({ scope, items: null })),
  request: ({ scope, window }) => ({
    trackId: part(scope, "app"),
    ...localeParams(scope),
    ...rangeParams(operations[part(scope, "store") as Store], window),
  }),
  normalise: ({ scope }, pages) => {
    const changes = pages.flat() as readonly Change[];
    const rows = changes.flatMap((change) => {
      const [before, after] = [byProperty(change.oldData), byProperty(change.newData)];
      const release = {
        ...pageKey(scope),
        version_at: readInstant(change.versionDate).at,
        version: change.newData?.versionString ?? "",
        extra: extraOf(change, ["versionDate", "differences", "newData", "oldData"]),
      };
      const names = new Set([...(change.differences ?? []), ...before.keys(), ...after.keys()]);
      return [...names].sort().map((property) => ({
        ...release,
        property,
        old_value: jsonOf(before.get(property)),
        new_value: jsonOf(after.get(property)),
      }));
    });
    return { rows: { [table.name]: rows }, invalid: [] };
  },
});

/** Fields whose names differ from the list of changes in more than case. */
const differently: Readonly<Record<string, string>> = {
  versionString: "VERSION",
  versionDate: "CURRENT_VERSION_RELEASE_DATE",
  iconUrl: "ICON",
};

/** The values of one side under the names that the list of changes uses: `fileSize` is `FILE_SIZE`. */
function byProperty(data: Change["newData"]): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(data ?? {}).map(([name, value]) => [
      differently[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
      value,
    ]),
  );
}
