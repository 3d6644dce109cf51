import { expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { runUntil } from "../support/command.ts";
import { startChild } from "../support/ingest-child.ts";
import { openStage, until } from "../support/ingest-stage.ts";
import { openReceiver } from "../support/webhook-receiver.ts";
import { long } from "../support/long.ts";

/** Fires for each rank: those of the small market are known. */
const alerts = { ranked: { mart: "keyword_rank_daily", when: { is_ranked: { is: true } } } };

test("a worker that loads a night sends each fire once, in the long run beside another one", async () => {
  await using receiver = await openReceiver();
  const market = { apps: 1, countries: ["US"], keywordsPerApp: 2, organicKeywords: 2 } as const;
  await using stage = await openStage({ today: systemClock().today(), market });
  const options = {
    settings: { notify: { check_seconds: 0.5, format: "json" as const }, alerts },
    variables: { NOTIFY_URL: receiver.url },
  };
  await using second = long ? startChild(stage, ["worker", "--yes"], options) : null;
  const unsent = () => stage.query("select from ops.alert_fire where notified_at is null");
  const ranks = `
    select r.track_id || ' ' || r.keyword || ' ' || r.device_code as rank from mart.keyword_rank_daily as r
    where  r.is_ranked and r.date_day >= (select since_day from ops.alert) order by 1`;
  const open = "select from ops.slice where state not in ('loaded', 'empty', 'skipped')";
  const isSent = async () => {
    const fired = await stage.query("select from ops.alert_fire");
    if (fired.length === 0 || (await stage.query(open)).length > 0 || (await unsent()).length > 0) return false;
    return fired.length === (await stage.query(ranks)).length;
  };
  await runUntil(stage, ["worker", "--yes"], () => until(isSent), options);
  second?.process.kill("SIGTERM");
  await second?.ended;
  const sent = receiver.received.flatMap(({ alerts: all = [] }) => all);
  const subjects = sent.map(({ subject }) => subject as Record<string, string>);
  const named = subjects.map(({ track_id: app, keyword, device_code: device }) => `${app} ${keyword} ${device}`);
  expect(named.sort()).toEqual((await stage.query<{ rank: string }>(ranks)).map(({ rank }) => rank).sort());
  expect(new Set(sent.map((one) => one["alert_fire_id"])).size).toBe(sent.length);
});
