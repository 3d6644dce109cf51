import { expect, test } from "vitest";
import { startDoomed } from "../support/ingest-child.ts";
import { openStage, until } from "../support/ingest-stage.ts";
import { calmRun, expectCalm } from "../support/ingest-witness.ts";
import { long } from "../support/long.ts";

/** An iOS and an Android app in a country: calls enough for what happens in their middle. */
const market = { apps: 2, countries: ["US"] };
const concurrency = 2;
const total = 2_000;
const share = 0.1;
const floors = { snapshot: share, daily: share, lookback: share, history: share };
const settings = { api: { concurrency }, credits: { floors } };
/** The credits come back in ten years: what is put off until then is not done. */
const account = { token: "sandbox-token", total, periodHours: 24 * 3_650 };

const busyOthers =
  "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'";

// a kill at the portfolio and one in the middle of the ranks
test.each(long ? [4, 10] : [10])(
  "goes on at once after a kill -9 at request %i, when the credits just suffice, and keeps the floor",
  async (times) => {
    const calm = await calmRun({ market });
    await using stage = await openStage({ market, accounts: [account] });
    await using child = startDoomed(stage, "sync", { place: "after send", times, settings });
    expect(await child.ended).toBe("SIGKILL");
    // Postgres commits what it was sent, although the process is gone
    await until(async () => (await stage.query(busyOthers)).length === 0);
    const [held] = await stage.query<{ credits: number }>("select sum(cost)::int as credits from ops.credit_hold");
    expect(held?.credits).toBeGreaterThan(0);
    const [landed] = await stage.query<{ credits: number }>("select sum(cost)::int as credits from ops.request");
    const stillToPay = calm.credits - (landed?.credits ?? 0);
    stage.sandbox.spend(stage.sandbox.account().remaining - total * share - stillToPay);
    expect(await stage.sync({ settings })).toMatchObject({ outcome: "loaded" });
    await expectCalm(stage, calm, concurrency);
    expect(Math.min(...stage.requested().map(({ remaining }) => remaining))).toBe(total * share);
    expect(await stage.query("select from ops.credit_hold")).toEqual([]);
  },
);
