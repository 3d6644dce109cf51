import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import type { Scope } from "../../src/core/slice.ts";
import { oneDay } from "../../src/core/window.ts";
import { keywordEstimate } from "../../src/datasets/keyword-estimate.ts";
import { keywordMetadata } from "../../src/datasets/keyword-metadata.ts";
import { organicKeyword } from "../../src/datasets/organic-keyword.ts";
import type { Dataset } from "../../src/datasets/shared/define-dataset.ts";
import { sliceOf } from "../support/ingest-slice.ts";

const window = oneDay(day("2026-08-20"));
const organic = {
  trackId: 42,
  countryCode: "US",
  deviceType: "IPHONE",
  date: "2026-08-20",
  rankings: [{ keyword: "habit", rank: 3 }],
};
const estimates = { trackId: "42", country: "US", results: [{ keyword: "habit", maxReach: 7 }] };
const byDay = { ...estimates, keyword: "habit", results: [{ date: "2026-08-20", maxReach: 7 }] };
const ios = { store: "ios", app: "42", country: "US" };

const cases: readonly (readonly [Dataset, Scope, object, readonly object[]])[] = [
  [organicKeyword, { ...ios, device: "IPHONE" }, organic, [{ countryCode: "DE" }, { deviceType: "IPAD" }]],
  [
    keywordMetadata,
    { store: "ios", country: "US", keyword: "habit" },
    { keyword: "habit", countryCode: "US", searchVolume: 5 },
    [{ countryCode: "DE" }],
  ],
  [keywordEstimate, { ...ios, kind: "now" }, estimates, [{ country: "DE" }, { trackId: "43" }]],
  [keywordEstimate, { ...ios, kind: "history" }, byDay, [{ country: "DE" }, { trackId: "43" }]],
];

test.each(cases)("an answer about another app, country or device than the requested one becomes no row", (...one) => {
  const [dataset, scope, answer, others] = one;
  const slice = sliceOf({ dataset: dataset.name, scope, window, items: ["habit"] });
  const read = (page: object) => {
    const { rows, invalid } = dataset.normalise(slice, [page], []);
    return { rows: Object.values(rows).flat().length, invalid: invalid.length };
  };
  expect(read(answer)).toEqual({ rows: 1, invalid: 0 });
  for (const other of others) expect(read({ ...answer, ...other })).toEqual({ rows: 0, invalid: 1 });
});
