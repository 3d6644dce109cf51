import { expect, test } from "vitest";
import { openNights } from "../support/nights.ts";

const operation = "ios.keyword-ranking";
/** Three apps of each store, one call after the other. */
const oneAtATime = {
  settings: { api: { concurrency: 1 }, datasets: { keyword_rank: { history_days: 3 } } },
};

test("an app that the account may not read is named, and costs no other app of the operation its data", async () => {
  await using nights = await openNights({ market: { apps: 6, countries: ["US"] } }, oneAtATime);
  const { stage } = nights;
  // the first one that is requested
  const first = { operation, times: 1, kind: "status", status: 403 } as const;
  stage.sandbox.set({ faults: [first] });
  const result = await stage.sync(nights.run());
  expect(result).toMatchObject({ outcome: "aborted", error: { code: "forbidden" } });
  const [stop] = await stage.query<{ subject: string }>("select subject from ops.account_stop");
  const refused = stop?.subject ?? "";
  expect(result.error?.message).toContain(`subject="${refused}"`);
  stage.sandbox.set({ faults: [{ ...first, contains: refused, times: 1_000_000 }] });
  stage.sandbox.clearLog();
  expect(await stage.sync(nights.run())).toMatchObject({ outcome: "aborted" });
  expect(
    stage
      .requested()
      .map(({ status }) => status)
      .indexOf(403),
  ).toBe(stage.requested().length - 1);
  const loaded =
    "select count(distinct scope ->> 'app')::int as apps from ops.slice where operation = $1 and state = 'loaded'";
  expect(await stage.query(loaded, [operation])).toEqual([{ apps: 2 }]);
});
