import { expect, test } from "vitest";
import { startDoomed } from "../support/ingest-child.ts";
import type { Stage } from "../support/ingest-stage.ts";
import { asAcme, openStages, following } from "../support/two-accounts.ts";

/** Settings in which the first account follows one app, and acme that one and another. */
const sharingOneApp = (first: Stage) =>
  ({
    portfolio: following(first, 0, 1),
    accounts: { acme: { portfolio: { source: "config", apps: following(first, 0, 2)?.apps } } },
  }) as const;

test("what an account left that no process has worked with for a day is fetched with another one that wants it, save what a plan has", async () => {
  await using both = await openStages({ apps: 3 });
  const { first, acme } = both;
  const settings = sharingOneApp(first);
  const variables = {
    STOREHOUSE_ACCOUNT: "acme",
    API_TOKEN: first.sandbox.token,
    API_TOKEN_ACME: acme.sandbox.token,
  };
  await using doomed = startDoomed(acme, "sync", { settings, variables, place: "after send", times: 2 });
  expect(await doomed.ended).toBe("SIGKILL");
  const [shared, own] = first.sandbox.market.apps.map(({ trackId }) => trackId);
  const waiting = () =>
    first.query<{ app: string }>(
      "select distinct scope ->> 'app' as app from ops.slice where state not in ('loaded', 'empty') order by 1",
    );
  const apps = (...names: readonly (string | undefined)[]) => [...names].sort().map((app) => ({ app }));
  expect((await first.sync({ settings })).outcome).toBe("loaded");
  expect(await waiting()).toEqual(apps(shared, own));
  await first.query("update ops.worker set heartbeat_at = heartbeat_at - interval '25 hours' where account = 'acme'");
  expect((await first.sync({ settings })).outcome).toBe("loaded");
  expect(await waiting()).toEqual(apps(own));
  const newest = "select planned_slices > 0 as planned from ops.run where account = '' order by run_id desc limit 1";
  expect(await first.query(newest)).toEqual([{ planned: true }]);
});

test("what failed of an account that no process has worked with for a day is requested with another one that wants it", async () => {
  await using both = await openStages({ apps: 3 });
  const { first, acme } = both;
  const settings = sharingOneApp(first);
  expect((await acme.sync(asAcme(acme, settings))).outcome).toBe("loaded");
  await first.query(
    "update ops.slice set state = 'failed', error_code = 'server_error', due_at = now() - interval '20 hours'",
  );
  const failed = () =>
    first.query<{ app: string }>("select distinct scope ->> 'app' as app from ops.failed_slice order by 1");
  const [shared, own] = first.sandbox.market.apps.map(({ trackId }) => trackId);
  // it may be requested again with the account that it is of
  expect((await first.sync({ settings })).outcome).toBe("loaded");
  expect(await failed()).toEqual([shared, own].sort().map((app) => ({ app })));
  await first.query("update ops.worker set heartbeat_at = heartbeat_at - interval '25 hours' where account = 'acme'");
  expect((await first.sync({ settings })).outcome).toBe("loaded");
  expect(await failed()).toEqual([{ app: own }]);
  const requested = first.requested().length;
  expect((await first.sync({ settings })).outcome).toBe("loaded");
  expect(first.requested()).toHaveLength(requested);
});

test("of an account that the configuration has no more nothing is due once no process has worked with it for a day", async () => {
  await using both = await openStages({ apps: 2 });
  const { first, acme } = both;
  await acme.sync(asAcme(acme));
  const due = async () => {
    const rows = await first.query<{ app: string }>(
      "select track_id as app from ops.freshness where dataset = 'keyword_rank' and due_day is not null order by 1",
    );
    return rows.map(({ app }) => app);
  };
  const settings = { portfolio: following(first, 0, 1) };
  const [own] = settings.portfolio?.apps ?? [];
  await first.sync({ settings });
  expect((await due()).length).toBeGreaterThan(1);
  await first.query("update ops.worker set heartbeat_at = heartbeat_at - interval '2 days' where account = 'acme'");
  await first.sync({ settings: { ...settings, accounts: { acme: {} } } });
  expect((await due()).length).toBeGreaterThan(1);
  await first.sync({ settings });
  expect(await due()).toEqual([own?.id]);
  await acme.sync(asAcme(acme));
  expect((await due()).length).toBeGreaterThan(1);
});
