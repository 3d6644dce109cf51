import { expect, test } from "vitest";
import { runWorker } from "../support/agreed-worker.ts";
import { runCommand } from "../support/command.ts";
import { startDoomed } from "../support/ingest-child.ts";
import { requestedDays, today, until, callText, type Stage } from "../support/ingest-stage.ts";
import { charged } from "../support/ingest-witness.ts";
import { asAcme, openStages, following } from "../support/two-accounts.ts";

const trackedBy = (stage: Stage) =>
  stage.query<{ account: string; apps: string[] }>(`
    select t.account, array_agg(a.track_id order by a.track_id) as apps
    from   core.tracked_app as t join core.dim_app as a using (app_key) where t.is_current group by 1 order by 1`);
const idsOf = ({ sandbox }: Stage) => sandbox.market.apps.map(({ trackId }) => trackId).sort();

test("two accounts share facts, which are fetched once, and neither lists nor credits", async () => {
  await using both = await openStages({ apps: 2, all: 3 });
  const { first, acme } = both;
  const shared = idsOf(acme).filter((id) => idsOf(first).includes(id));
  expect(shared.length).toBeGreaterThan(0);
  expect((await acme.sync(asAcme(acme))).outcome).toBe("loaded");
  const before = await acme.query("select * from core.tracked_keyword order by app_key, country_key, keyword_key");
  // what failed of one account is no failure of another, which cannot request it again
  await acme.query(
    "update ops.slice set state = 'failed', error_code = 'server_error' where slice_id = (select max(slice_id) from ops.slice where dataset = 'tracked_keyword')",
  );
  expect((await first.sync()).outcome).toBe("loaded");
  expect((await first.retry()).progress.total).toBe(0);
  expect((await acme.retry(asAcme(acme))).progress).toMatchObject({ total: 1, failed: 0 });

  // each has its own list of apps, and the other's stands
  expect(await trackedBy(first)).toEqual([
    { account: "", apps: idsOf(first) },
    { account: "acme", apps: idsOf(acme) },
  ]);
  const after = "select * from core.tracked_keyword where account = 'acme' order by app_key, country_key, keyword_key";
  expect(await first.query(after)).toEqual(before);

  // what both want is requested once, of the first that planned it
  const facts = (stage: Stage) =>
    stage.requested().filter(({ operation }) => operation?.startsWith("dashboard.") !== true);
  const requested = new Set(facts(acme).map(callText));
  expect(requested.size).toBeGreaterThan(0);
  expect(facts(first).length).toBeGreaterThan(0);
  expect(facts(first).filter((one) => requested.has(callText(one)))).toEqual([]);

  // each paid for its own calls, and every row says whose it is
  const spend = await first.query(
    "select account, sum(booked_credits)::int as credits from ops.credit_spend_daily group by 1 order by 1",
  );
  expect(spend).toEqual([
    { account: "", credits: charged(first.requested()) },
    { account: "acme", credits: charged(acme.requested()) },
  ]);
  const foreign = await first.query(`
    select q.request_id from ops.request as q
    join   ops.slice as s using (slice_id) join ops.run as r on r.run_id = s.run_id
    join   ops.credit_account as a using (account_id) where a.account <> r.account`);
  expect(foreign).toEqual([]);
});

test("what waits for a budget of another account is not said to be loaded", async () => {
  await using both = await openStages();
  const { first, acme } = both;
  await acme.sync(asAcme(acme));
  await first.sync();
  const command = (word: string) => runCommand(first, [word, "--as-of", today]);
  expect((await command("plan")).stdout).toBe("Nothing to do: everything requested that can be fetched is loaded.\n");
  await acme.query(
    `update ops.slice set state = 'deferred', error_code = 'budget_exhausted', due_at = '2099-01-01'
     where slice_id = (select max(s.slice_id) from ops.slice as s join ops.run as r using (run_id)
                       where r.account = 'acme' and s.dataset = 'keyword_rank' and s.state = 'loaded')`,
  );
  for (const word of ["plan", "sync"]) {
    const { code, stdout } = await command(word);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("\nOther accounts still have 1 slice of keyword_rank to fetch") as string,
    });
  }
  // an account that does not use it waits for nothing
  const [slice] = await acme.query<{ app: string }>(
    "select scope ->> 'app' as app from ops.slice where state = 'deferred'",
  );
  const apps = following(first, 0, 2)?.apps?.filter(({ id }) => id !== slice?.app) ?? [];
  const portfolio = { source: "config", apps } as const;
  const without = await runCommand(first, ["plan", "--as-of", today], { settings: { portfolio } });
  expect(without.code).toBe(0);
  expect(without.stdout).not.toContain("Other accounts");
  await acme.query(
    "update ops.slice set error_message = 'wait for it, or type `storehouse credits`' where state = 'deferred'",
  );
  expect((await runCommand(first, ["status"])).stdout).toContain(
    "Of account acme: wait for it, or type `STOREHOUSE_ACCOUNT=acme storehouse credits`",
  );
});

test("a plan of another account is not unknown: its account is named", async () => {
  await using both = await openStages();
  const { first, acme } = both;
  await acme.query(
    `insert into ops.plan (account, made_at, as_of, request, basis, newest_first, digest, slices, requests, credits, left_out_slices, left_out_credits)
     values ('acme', now(), '${today}', '{}', '{}', true, '', 1, 1, 1, 0, 0)`,
  );
  for (const more of [[], ["--cancel"]])
    expect(await runCommand(first, ["backfill", "--plan", "1", ...more])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^plan_of_another: plan 1 is of account acme; run the command with STOREHOUSE_ACCOUNT=acme\n/,
      ) as string,
    });
});

test("an account without credits stops no other, and of a killed sync only the call on the wire is sent again", async () => {
  await using both = await openStages({ total: 7, apps: 3 });
  const { first, acme } = both;
  // the second app is wanted by both
  const settings = {
    api: { concurrency: 1 },
    portfolio: following(first, 0, 2),
    accounts: { acme: { portfolio: { source: "config", apps: following(first, 1, 3)?.apps } } },
  } as const;
  const variables = {
    STOREHOUSE_ACCOUNT: "acme",
    API_TOKEN: first.sandbox.token,
    API_TOKEN_ACME: acme.sandbox.token,
  };
  const states = (account: string) =>
    first.query<{ state: string; apps: string[] }>(
      `select s.state, array_agg(distinct s.scope ->> 'app') as apps from ops.slice as s join ops.run as r using (run_id)
       where r.account = $1 group by 1 order by 1`,
      [account],
    );
  const isAtRest = async (account: string) => {
    const found = (await states(account)).map(({ state }) => state);
    return found.length > 0 && !found.includes("pending") && !found.includes("running");
  };
  const daysOf = async (app: string | undefined) =>
    (
      await first.query(
        "select distinct date_day from core.fact_keyword_rank join core.dim_app using (app_key) where track_id = $1",
        [app],
      )
    ).length;
  expect((await first.sync({ settings })).outcome).toBe("deferred");
  expect((await states("")).map(({ state }) => state)).toEqual(["deferred", "loaded"]);

  // a sync that is killed with a request on the wire, and a worker that goes on
  await using doomed = startDoomed(acme, "sync", { settings, variables, place: "after send", times: 2 });
  expect(await doomed.ended).toBe("SIGKILL");
  await using app = await acme.open(asAcme(acme, settings));
  const stop = new AbortController();
  const worker = runWorker(app, stop.signal);
  const [alone, shared, own] = first.sandbox.market.apps.map(({ trackId }) => trackId);
  const isDone = async () =>
    (await isAtRest("acme")) && (await daysOf(shared)) + (await daysOf(own)) === 2 * requestedDays().length;
  await Promise.race([until(isDone), worker]);
  stop.abort();
  expect(await worker).toBeNull();

  // all that acme wants is there, what waited for the credits of the other account too; what acme does not want waits
  expect(await states("acme")).toEqual([{ state: "loaded", apps: [shared, own].sort() }]);
  expect((await states(""))[0]).toEqual({ state: "deferred", apps: [alone] });
  const requested = [...first.requested(), ...acme.requested()].map(callText);
  expect(requested.length - new Set(requested).size).toBeLessThanOrEqual(1);
});

test("keywords that are swapped for others in one of two accounts have the list of that account read again", async () => {
  await using both = await openStages();
  const { first, acme } = both;
  const lists = { request: { datasets: ["tracked_keyword"] } } as const;
  await first.sync(lists);
  await acme.sync({ ...asAcme(acme), ...lists });
  const keywordsOf = (stage: Stage, account: string) =>
    stage.query<{ track_id: string; keyword: string }>(
      `select a.track_id, k.keyword from core.tracked_keyword as t join core.dim_keyword as k using (keyword_key)
       join core.dim_app as a using (app_key) join core.dim_country as c using (country_key)
       where  t.is_current and c.country_code = 'US' and t.account = $1 order by 1, 2`,
      [account],
    );
  const [gone] = await keywordsOf(acme, "acme");
  const settings = { accounts: { acme: {} } };
  const variables = { STOREHOUSE_ACCOUNT: "acme", API_TOKEN: "token-of-the-first", API_TOKEN_ACME: acme.sandbox.token };
  for (const words of [
    ["add", "a new one"],
    ["remove", gone?.keyword ?? ""],
  ]) {
    const [verb = "", word = ""] = words;
    const command = ["keywords", verb, gone?.track_id ?? "", "US", word, "--yes"];
    expect(await runCommand(acme, command, { settings, variables })).toMatchObject({ code: 0 });
  }
  for (const stage of [first, acme]) stage.sandbox.clearLog();
  await first.sync(lists);
  await acme.sync({ ...asAcme(acme), ...lists });
  const read = (stage: Stage) =>
    stage.requested().filter(({ operation }) => operation === "dashboard.daily-keyword-rankings");
  expect([read(first).length, read(acme).length]).toEqual([0, 1]);
  const now = (await keywordsOf(acme, "acme")).map(({ keyword }) => keyword);
  expect(now).toContain("a new one");
  expect(now).not.toContain(gone?.keyword);
});
