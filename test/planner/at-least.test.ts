import { expect, test } from "vitest";
import { datasetsAtLeast } from "../../src/planner/plan-work.ts";
import { Settings } from "../../src/config/settings.ts";

const work = ["keyword_rank", "ad_creative", "ad_badge"].map((dataset) => ({ dataset }));
const least = (datasets: object) => datasetsAtLeast(work, Settings.parse({ datasets }));

test("a plan is a minimum where answers have pages, and exact where one page or none is requested", () => {
  expect(least({})).toEqual([]);
  expect(least({ ad_creative: { most_pages: 3 } })).toEqual(["ad_creative"]);
  expect(least({ ad_creative: { most_pages: 1 } })).toEqual([]);
});
