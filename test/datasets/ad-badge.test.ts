import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { oneDay } from "../../src/core/window.ts";
import { adBadge } from "../../src/datasets/ad-badge.ts";
import { sliceOf } from "../support/ingest-slice.ts";

test("badges are kept beside those of earlier days, for ids of either kind", () => {
  const slice = sliceOf({ scope: { store: "android", app: "com.one" }, window: oneDay(day("2026-08-20")) });
  expect(adBadge.request(slice)).toEqual({ trackId: "com.one" });
  const reported = { appAdvertiser: true, appPublisher: false, since: 3 };
  expect(adBadge.normalise(slice, [reported], []).rows["core.ad_badge"]).toEqual([
    {
      app_key: "android:com.one",
      date_day: "2026-08-20",
      is_advertiser: true,
      is_publisher: false,
      extra: '{"since":3}',
    },
  ]);
  expect(adBadge.tables[0]?.key).toContain("date_day");
});
