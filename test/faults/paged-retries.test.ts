import { expect, test } from "vitest";
import { openStage, type RunOptions } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

/** The advertisements for the one app of the market that has two pages of them. */
const run: RunOptions = {
  settings: { datasets: { ad_creative: { most_pages: 9 } } },
  request: { datasets: ["ad_creative"], only: { apps: ["6446318020"] } },
};
const operation = "ad-intelligence.creatives";
const good = { operation, times: 1, kind: "no-credit-headers" } as const;

test.each(long ? (["status", "cut", "not-json"] as const) : (["not-json"] as const))(
  "an attempt that imported a page does not count against its slice when the next page is lost (%s)",
  async (kind) => {
    // a slice is given up after so many failures, of which the last one comes after a page
    const most = kind === "not-json" ? 3 : 4;
    const faults = [{ operation, times: most - 1, kind }, good, { operation, times: 1, kind }];
    await using stage = await openStage({ market: { apps: 2 }, faults });
    expect(await stage.sync(run)).toMatchObject({ outcome: "loaded", progress: { failed: 0 } });
    const requested = stage.requested().filter((request) => request.operation === operation);
    // both pages once, beside those that were lost
    expect(requested).toHaveLength(most + 2);
  },
);

// that a slice is given up after so many failures is shown every day of ranks
test.runIf(long)("one whose only page is lost each time is given up", async () => {
  await using stage = await openStage({ market: { apps: 2 }, faults: [{ operation, times: 99, kind: "status" }] });
  expect(await stage.sync(run)).toMatchObject({ progress: { failed: 1 } });
  expect(stage.requested().filter((request) => request.operation === operation)).toHaveLength(4);
});
