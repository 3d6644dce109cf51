import { expect, test } from "vitest";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { planDue } from "../../src/runs/scheduled-run.ts";
import type { Fault } from "../../src/sandbox/sandbox.ts";
import { runWorker } from "../support/agreed-worker.ts";
import { until, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { asAcme, following, openStages } from "../support/two-accounts.ts";

const refused = (operation: string | null, status: number): Fault => ({
  ...(operation === null ? {} : { operation }),
  times: 1_000_000,
  kind: "status",
  status,
});
const operation = "ios.app-simple";
const intervals = { beatMs: 100, deadAfterMs: 60_000, firstCheckMs: 100, longestCheckMs: 400 } as const;

/** Both accounts follow the same three apps. A refused operation is tried again minutes later, so that its slices wait meanwhile. */
const sharing = (first: Stage) =>
  ({
    api: { concurrency: 1 },
    portfolio: following(first, 0, 3),
    datasets: { keyword_rank: { history_days: 1 }, app_rating: { on: true } },
    accounts: { acme: { portfolio: following(first, 0, 3) } },
  }) as const;

/** Where the slices of the refused operation are, and how. */
const placesOf = (stage: Stage) =>
  stage.query<{ account: string; state: string; count: number }>(
    `select r.account, s.state, count(*)::int as count from ops.slice as s join ops.run as r using (run_id)
     where  s.operation = '${operation}' group by 1, 2 order by 1, 2`,
  );

/** Plans as the planning task of a worker does, and runs nothing. */
async function planRatings(stage: Stage, run: RunOptions): Promise<void> {
  await using app = await stage.open(run);
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  await planDue(ingest.parts, app.config.settings, ["app_rating"]);
}

/** Runs a worker until something is so. */
async function work(stage: Stage, run: RunOptions, isDone: () => Promise<boolean>): Promise<void> {
  await using app = await stage.open(run);
  const stop = new AbortController();
  const running = runWorker({ ...app, intervals }, stop.signal);
  await Promise.race([until(isDone), running]).finally(() => stop.abort());
  expect(await running).toBeNull();
}

const isAny = (stage: Stage, text: string) => async () => (await stage.query(text)).length > 0;

test("what the API refuses to the account of one worker is fetched by the worker of another one, while the first one runs on", async () => {
  await using both = await openStages({ apps: 3 });
  const { first, acme } = both;
  const settings = sharing(first);
  acme.sandbox.set({ faults: [refused(operation, 403)] });
  const isRefused = isAny(acme, `select from ops.slice where operation = '${operation}' and error_code = 'forbidden'`);
  await work(acme, asAcme(acme, settings), async () => {
    if (!(await isRefused())) return false;
    expect((await placesOf(first)).map(({ account, state }) => [account, state])).not.toContainEqual(["", "pending"]);
    await work(first, { settings }, async () => (await placesOf(first)).every(({ state }) => state === "loaded"));
    return true;
  });
  expect(await placesOf(first)).toEqual([{ account: "", state: "loaded", count: 1 }]);
  expect(await first.query("select from ops.slice where error_code = 'forbidden'")).toEqual([]);
});

test("two accounts without a right do not pass its slices to and fro, and each tries again a day later", async () => {
  await using both = await openStages({ apps: 3 });
  const { first, acme } = both;
  const settings = sharing(first);
  for (const { sandbox } of [first, acme]) sandbox.set({ faults: [refused(operation, 403)] });
  const stopOf = (account: string) =>
    `select from ops.account_stop join ops.credit_account using (account_id) where account = '${account}'`;
  const at = (account: string) => [{ account, state: "pending", count: 1 }];
  await planRatings(acme, asAcme(acme, settings));
  await work(acme, asAcme(acme, settings), isAny(acme, stopOf("acme")));
  expect(await placesOf(first)).toEqual(at("acme"));
  // it has not been refused yet, so it tries
  await work(first, { settings }, isAny(first, stopOf("")));
  expect(await placesOf(first)).toEqual(at(""));
  await planRatings(acme, asAcme(acme, settings));
  expect(await placesOf(first)).toEqual(at(""));
  await planRatings(first, { settings });
  expect(await placesOf(first)).toEqual(at(""));
  await acme.query(
    `update ops.account_stop set lifted_at = now() - interval '25 hours'
     where  account_id in (select account_id from ops.credit_account where account = 'acme')`,
  );
  await planRatings(acme, asAcme(acme, settings));
  expect(await placesOf(first)).toEqual(at("acme"));
});

test("all that waits for an account whose token is refused is fetched with another one, save what a plan has", async () => {
  await using both = await openStages({ apps: 3 });
  const { first, acme } = both;
  const settings = sharing(first);
  await planRatings(acme, asAcme(acme, settings));
  await acme.query("update ops.slice set plan_id = 1 where operation = 'android.app-simple'");
  const waiting = [{ account: "acme", state: "pending", count: 1 }];
  await planRatings(first, { settings });
  expect(await placesOf(acme)).toEqual(waiting);
  acme.sandbox.set({ faults: [refused(null, 401)] });
  const isRefused = isAny(acme, "select from ops.account_stop where code = 'unauthorised' and dataset = ''");
  await work(acme, asAcme(acme, settings), async () => {
    if (!(await isRefused())) return false;
    await planRatings(first, { settings });
    return true;
  });
  const taken = [{ account: "", state: "pending", count: 1 }];
  expect(await placesOf(acme)).toEqual(taken);
  expect(
    await acme.query("select account from ops.slice join ops.run using (run_id) where ops.slice.plan_id = 1"),
  ).toEqual([{ account: "acme" }]);
  // nor does the refused account take it back
  await planRatings(acme, asAcme(acme, settings)).catch(() => undefined);
  expect(await placesOf(acme)).toEqual(taken);
});
