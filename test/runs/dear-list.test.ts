import { expect, test } from "vitest";
import { openNights } from "../support/nights.ts";

test("where a limit does not pay for reading a list again, what the list named before is requested", async () => {
  await using nights = await openNights({ market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } });
  const { stage } = nights;
  const sync = (maxCredits: number) =>
    stage.sync(nights.run({ maxCredits, request: { datasets: ["keyword_metadata"], today: nights.today() } }));
  expect(await sync(100)).toMatchObject({ outcome: "loaded" });
  // both lists of the account are read each night; that of keywords, for 50 credits, is due after a week
  for (let night = 0; night < 8; night += 1) nights.next();
  stage.sandbox.clearLog();
  expect(await sync(20)).toMatchObject({ outcome: "deferred", leftOut: 1, progress: { credits: 16 } });
  const requested = stage.requested().map(({ operation }) => operation);
  expect(requested.filter((one) => one === "ios.keyword-metadata")).toHaveLength(2);
});
