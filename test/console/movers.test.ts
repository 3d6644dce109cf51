import { expect, test } from "vitest";
import { mostMovers, moversOf } from "../../src/console/explore/statements.ts";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

test("of more movers than are shown a keyword that fell out of the ranks from the top is the first", async () => {
  const ranks = (keyword: string, before: number | null, now: number | null) =>
    [before, now].map((rank, index) => ({
      app_key: "ios:1",
      country_key: "US",
      keyword_key: keyword,
      device_key: "IPHONE",
      date_day: `2026-08-0${7 + index}`,
      rank,
    }));
  const many = Array.from({ length: mostMovers }, (_, index) => ranks(`moved ${index}`, 100, 90)).flat();
  await mart.fill("core.fact_keyword_rank", [
    ...many,
    ...ranks("left the top", 1, null),
    ...ranks("came to the top", null, 2),
    ...ranks("left the end", 99, null),
  ]);
  const app = { app: "ios:1", store: "ios", trackId: "1", name: "Ours", isCompetitor: false };
  const { rows } = await moversOf({ app, country: "US", device: "IPHONE" }, 1).execute(mart.db);
  expect(rows).toHaveLength(mostMovers);
  expect(rows.map(({ keyword }) => keyword)).not.toContain("left the end");
  expect(rows.slice(0, 3).map(({ keyword }) => keyword)).toEqual(["left the top", "came to the top", "moved 0"]);
});
