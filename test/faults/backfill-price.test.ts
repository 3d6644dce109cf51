import { expect, test } from "vitest";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { startChild, startDoomed } from "../support/ingest-child.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { today, until } from "../support/ingest-stage.ts";

const limit = 90;
// answers are held for as long as the kills take
const settings = { api: { concurrency: 2, timeout_seconds: 120 }, datasets: { keyword_rank: { history_days: 9 } } };
// nothing is due on its own, so that the ranks that the workers request are the plan's
const off = { ...settings, datasets: { keyword_rank: { on: false } } };
const intervals = { beatMs: 50, deadAfterMs: 60_000, firstCheckMs: 60_000, longestCheckMs: 60_000 };

test("a backfill keeps its limit when it is killed, and one of the two workers that take it over is killed as well", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 3, countries: ["US", "JP"], keywordsPerApp: 6 } });
  // what is killed while its answers are held has paid for them
  const killed = Promise.withResolvers<void>();
  await using proxy = await openProxy(stage.sandbox, ({ target }) =>
    /keyword-(ranking|history)/.test(target) ? killed.promise : undefined,
  );
  const behind = { databaseUrl: stage.databaseUrl, sandbox: proxy };
  const holders = (kind: string) =>
    stage.query<{ pid: number; calls: number }>(
      `select w.pid, count(*)::int as calls from ops.credit_hold as h join ops.worker as w using (worker_id)
       where  w.kind = $1 and w.stopped_at is null group by w.pid having count(*) > 1`,
      [kind],
    );
  const command = ["backfill", "--as-of", today, "--dataset", "keyword_rank", "--yes", "--max-credits", String(limit)];
  await using backfill = startChild(behind, command, { settings });
  await until(async () => (await holders("foreground")).length > 0);
  backfill.process.kill("SIGKILL");
  await backfill.ended;

  await using stack = new AsyncDisposableStack();
  const variables = { TEST_INTERVALS: JSON.stringify(intervals) };
  const workers = Array.from({ length: 2 }, () =>
    stack.use(startDoomed(behind, "worker", { settings: off, variables })),
  );
  await until(async () => {
    const [holder] = await holders("worker");
    return workers.find(({ process }) => process.pid === holder?.pid)?.process.kill("SIGKILL") === true;
  });
  killed.resolve();
  const open = () =>
    stage.query(
      `select from ops.slice as s where s.plan_id is not null and s.state in ('pending', 'running')
       union all select from ops.credit_hold`,
    );
  await until(async () => (await open()).length === 0);

  const ranks = stage.requested().filter(({ operation }) => /keyword-(ranking|history)/.test(operation ?? ""));
  const spent = ranks.reduce((sum, { charged }) => sum + charged, 0);
  expect(spent).toBeLessThanOrEqual(limit);
  const lost = await stage.query(
    "select from ops.request where error_code = 'process_died' and dataset = 'keyword_rank'",
  );
  expect(lost.length).toBeGreaterThan(2);
  const [plan] = await stage.query("select credits::int, taken_credits::int as taken from ops.plan");
  expect(plan?.["taken"]).toBeGreaterThanOrEqual(spent);
  expect(plan?.["taken"]).toBeLessThanOrEqual(plan?.["credits"]);
  // what the price does not pay for waits for nothing but its cancellation, or is cancelled already
  const slices = await stage.query("select state, error_code from ops.slice where plan_id is not null");
  const loaded = slices.filter(({ state }) => state === "loaded");
  expect(slices.filter((slice) => !loaded.includes(slice) && slice["error_code"] !== "plan_spent")).toEqual([]);
  const [planned] = await stage.query("select slices from ops.plan");
  expect(loaded.length).toBeLessThan(planned?.["slices"]);
});
