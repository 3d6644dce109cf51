import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { openStage, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { workUntilIdle } from "../support/work-until-idle.ts";

const settings = { api: { concurrency: 2 } } satisfies RunOptions["settings"];

describe("slices that wait for credits", () => {
  let stage: Stage;
  const waiting = async () => (await statesOf(stage))["deferred"] ?? 0;
  const checks = () => stage.sandbox.log().filter(({ path }) => path === "/api-key").length;
  const account = (columns: string) => stage.query(`update ops.credit_account set ${columns}`);
  const overdue = "resets_at = null, observed_at = observed_at - interval '2 minutes'";

  /** What a worker does every two minutes, `times` times in a row. */
  async function workerChecks(times: number, between: () => Promise<unknown> = async () => undefined): Promise<void> {
    await using app = await stage.open({ settings });
    await using ingest = await openIngest(app, "worker", createRunLimit(null));
    for (let time = 0; time < times; time += 1) {
      await ingest.parts.queueLeftOver?.().catch(() => undefined);
      if (time < times - 1) await between();
    }
  }

  /** Makes the first statement fail that resumes slices. */
  async function failingOnce(run: () => Promise<void>): Promise<void> {
    await stage.query(`
      create sequence public.tries;
      create function public.fail_once() returns trigger language plpgsql as $$ begin
        if nextval('public.tries') = 1 then raise exception using errcode = '40001'; end if;
        return null;
      end $$;
      create trigger fail_once after update on ops.slice for each statement execute function public.fail_once()`);
    await run();
    await stage.query(
      "drop trigger fail_once on ops.slice; drop function public.fail_once(); drop sequence public.tries",
    );
  }

  beforeAll(async () => {
    const accounts = [{ token: "sandbox-token", total: 2_000, remaining: 170, periodHours: 24 * 3_650 }];
    stage = await openStage({ accounts, market: { countries: ["US"] } });
    await workUntilIdle(stage, { settings });
  });
  afterAll(async () => stage[Symbol.asyncDispose]());

  test("wait without a check of the balance until the announced reset", async () => {
    const [before, checked] = [await waiting(), checks()];
    expect(before).toBeGreaterThan(4);
    await workerChecks(2);
    expect([await waiting(), checks()]).toEqual([before, checked]);
  });

  test("wait while an overdue reset has not come; the balance is checked once a minute", async () => {
    const [before, checked] = [await waiting(), checks()];
    await account(overdue);
    await workerChecks(2, async () => account("resets_at = null"));
    expect([await waiting(), checks()]).toEqual([before, checked + 1]);
  });

  test("go on when the overdue reset has come", async () => {
    await account(overdue);
    stage.sandbox.spend(-1_000);
    await workerChecks(1);
    expect(await waiting()).toBeLessThan(4);
  });

  test("go on when another process has reported a higher balance", async () => {
    await stage.query(
      "update ops.slice set state = 'deferred', due_at = now() + interval '1 year', error_code = 'credits_exhausted' where state = 'pending'",
    );
    const [before, checked] = [await waiting(), checks()];
    await account("remaining = 5");
    await workerChecks(2, async () => account("remaining = 900"));
    const after = await waiting();
    expect(after).toBeLessThan(before);
    // also if it was reported before the worker first compares, or if the first try fails
    await stage.query(
      "update ops.slice set due_at = now() + interval '1 year', state = 'deferred' where state = 'pending'",
    );
    await workerChecks(1);
    expect(await waiting()).toBe(after);
    await stage.query(
      "update ops.slice set due_at = now() + interval '1 year', state = 'deferred' where state = 'pending'",
    );
    await failingOnce(() => workerChecks(2));
    expect(await waiting()).toBe(after);
    expect(checks()).toBe(checked);
  });
});
