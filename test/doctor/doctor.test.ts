import { describe, expect, test } from "vitest";
import type { Environment } from "../../src/config/env.ts";
import { systemClock } from "../../src/core/clock.ts";
import { scheduleFileOf } from "../../src/worker/schedule-file.ts";
import type { Diagnosis } from "../../src/doctor/diagnosis.ts";
import { diagnose } from "../../src/doctor/doctor.ts";
import { checkUnrequestedDays } from "../../src/doctor/ledger-checks.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { runCommand } from "../support/command.ts";
import { forTests } from "../support/for-tests.ts";
import type { Behind } from "../support/ingest-child.ts";
import { openStage, until, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { emptyDatabase } from "../support/warehouse-empty.ts";
import { startCommand } from "../support/running-command.ts";
import { openReceiver, webhookSecret } from "../support/webhook-receiver.ts";

const openToday = () => openStage({ today: systemClock().today() });

type Visit = { code: number | NodeJS.Signals | null; text: string; of: (check: string) => Diagnosis | undefined };

/** Runs the doctor as a command; its output may contain no secret. */
async function visit(stage: Behind, variables: Record<string, string> = {}, ...options: string[]): Promise<Visit> {
  const { code, stdout, stderr } = await runCommand(stage, ["doctor", "--json", ...options], { variables });
  for (const secret of [stage.sandbox.token, webhookSecret, "pa55word-of-the-user"])
    expect(stdout + stderr).not.toContain(secret);
  expect(stderr).toBe("");
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Diagnosis[] };
  expect(ok).toBe(checks.every(({ state }) => state !== "fail"));
  for (const { state, next } of checks) expect(next === null).toBe(state === "ok");
  return { code, text: stdout, of: (check) => checks.find((one) => one.check === check) };
}

/** Runs the checks in this process. */
async function runChecks(
  stage: Stage,
  environment: Partial<Environment> = {},
  testsWebhook = false,
  settings: NonNullable<RunOptions["settings"]> = {},
) {
  const config = stage.config({ environment, settings });
  const checks = await diagnose({ ...config, clock: systemClock(), crontab: scheduleFileOf(config), testsWebhook });
  return (name: string) => checks.find((one) => one.check === name);
}

describe("the doctor", () => {
  /** For what changes nothing in its database. */
  const shared = forTests(openToday);

  test("fails no check where a worker can run, and reports the balance", async () => {
    const { code, of, text } = await visit(shared);
    expect(code).toBe(0);
    const { checks } = JSON.parse(text) as { checks: Diagnosis[] };
    expect(checks.map(({ check, state }) => `${check} ${state}`)).toEqual([
      "environment ok",
      "settings ok",
      "database ok",
      "rights ok",
      "migrations ok",
      "locks ok",
      "clock of the database ok",
      "database size ok",
      "workers warn",
      "agreement warn",
      "incidents ok",
      "failed slices ok",
      "limits ok",
      "lost days ok",
      "days not requested ok",
      "reported figures ok",
      "token ok",
      "clock of the API ok",
      "crontab ok",
      "webhook warn",
    ]);
    expect(of("token")?.found).toMatch(/credits are left/);
    expect(shared.requested()).toEqual([]);
  });

  test("names a table under export.tables that there is not, before the crontab exports", async () => {
    const found = async (tables: string[], to?: string) => {
      const of = await runChecks(shared, {}, false, { export: { tables, ...(to === undefined ? {} : { to }) } });
      return of("export");
    };
    expect(await found(["core", "fact_ranks"])).toBeUndefined();
    expect(await found(["core", "fact_app_rating"], "files")).toMatchObject({ state: "ok" });
    const wrong = await found(["fact_app_ratings"], "files");
    expect(wrong?.state).toBe("fail");
    expect(wrong?.found).toMatch(/^export\.tables: .*fact_app_ratings.*did you mean fact_app_rating\?/);
  });

  test("prints a line for each check, and what to do under it", async () => {
    const ended = await runCommand(shared, ["doctor"]);
    expect(ended.code).toBe(0);
    const { stdout } = ended;
    expect(stdout).toMatch(/^ok {4}database {15}Postgres 1[5-8]\S* responds$/m);
    expect(stdout).toMatch(/^warn {2}workers .*\n +-> start one with `storehouse worker`/m);
    expect(stdout).toMatch(/\d+ ok, 3 warnings, 0 failed\.\n$/);
  });

  test("runs no migration, and names those that are pending", async () => {
    await using empty = await emptyDatabase();
    const environment = { DATABASE_URL: empty.url };
    const of = await runChecks(shared, environment, false, { export: { to: "files" } });
    expect(of("migrations")).toMatchObject({
      state: "warn",
      found: expect.stringMatching(/^\d+ migrations are pending: 0001-schemas to /) as string,
    });
    expect(of("rights")).toMatchObject({ state: "ok" });
    // one line says so, and not one of each check that needs them
    for (const check of ["workers", "incidents", "export"]) expect(of(check)).toBeUndefined();
    await using warehouse = await openWarehouse(empty.url, 1);
    const schemas = String.raw`select nspname from pg_namespace where nspname not like 'pg\_%' and nspname <> 'information_schema'`;
    expect((await warehouse.pool.query(schemas)).rows).toEqual([{ nspname: "public" }]);
    expect(
      (await warehouse.pool.query("select from pg_class where relnamespace = 'public'::regnamespace")).rows,
    ).toEqual([]);
  });

  test("fails where another program has tables in the database, which every other command would refuse", async () => {
    await using taken = await emptyDatabase();
    await using warehouse = await openWarehouse(taken.url, 1);
    await warehouse.pool.query("create schema graphile_worker; create table graphile_worker.jobs (id integer)");
    const of = await runChecks(shared, { DATABASE_URL: taken.url });
    expect(of("migrations")).toEqual({
      check: "migrations",
      state: "fail",
      found: expect.stringContaining(
        "database_taken: the database already has graphile_worker.jobs of another program",
      ) as string,
      next: "set DATABASE_URL to an empty database",
    });
  });

  test("names what a newer version has migrated, and fails", async () => {
    await using stage = await openToday();
    await stage.query("insert into ops.migration values ('9999-later', now())");
    const of = await runChecks(stage);
    expect(of("migrations")).toMatchObject({ state: "fail", found: expect.stringContaining("9999-later") as string });
  });

  test("runs all other checks while the database does not respond", async () => {
    const { code, of } = await visit(shared, { DATABASE_URL: "postgres://me:pa55word-of-the-user@127.0.0.1:9/none" });
    expect(code).toBe(1);
    expect(of("database")).toMatchObject({ state: "fail", next: "check DATABASE_URL and that the server runs" });
    expect([of("token")?.state, of("crontab")?.state]).toEqual(["ok", "ok"]);
  });

  test("says of a full disk that it is full, and not that there was no reply", async () => {
    await using stage = await openToday();
    await stage.query(`
      create function ops.full() returns boolean language plpgsql as $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$`);
    await stage.query("alter view ops.failed_slice rename to failed_before");
    await stage.query(
      "create view ops.failed_slice as with x as materialized (select ops.full() as is_full) select f.* from x left join ops.failed_before as f on x.is_full",
    );
    const of = await runChecks(stage);
    expect(of("failed slices")).toMatchObject({
      state: "fail",
      found: expect.stringContaining("database_full: the disk of Postgres is full") as string,
    });
    expect(of("lost days")).toMatchObject({ state: "ok" });
  });

  test("is content with the Postgres of its own that is not set up yet, which no DATABASE_URL chooses", async () => {
    const { of } = await visit(shared, { DATABASE_URL: "", STOREHOUSE_HOME: "/tmp/storehouse-no-such-home" });
    expect(of("database")).toMatchObject({
      state: "ok",
      found: expect.stringContaining("runs its own Postgres") as string,
    });
  });

  test("checks no other database where DATABASE_URL is invalid", async () => {
    const { code, text, of } = await visit(shared, { DATABASE_URL: "mysql://127.0.0.1/none" });
    expect(code).toBe(1);
    expect(of("environment")).toMatchObject({
      state: "fail",
      found: expect.stringContaining("DATABASE_URL") as string,
    });
    expect([of("database"), of("token")?.state]).toEqual([undefined, "ok"]);
    expect(text).not.toContain("embedded");
  });

  test("runs all other checks where settings are invalid, and names each of them", async () => {
    const { code, text, of } = await visit(shared, {
      API_BASE_URL: "ftp://x",
      LOG_LEVEL: "loud",
      STOREHOUSE_CONFIG: "/nowhere.yaml",
    });
    expect(code).toBe(1);
    expect(text).toContain("API_BASE_URL is not an http or https address");
    expect(text).toContain("LOG_LEVEL must be one of");
    expect(of("settings")?.found).toContain("/nowhere.yaml");
    expect([of("database")?.state, of("token")?.state]).toEqual(["ok", "fail"]);
  });

  test("says what to do about a token that is missing or refused, and about an API that does not respond", async () => {
    await using stage = await openToday();
    expect((await runChecks(stage, { API_TOKEN: undefined }))("token")).toMatchObject({
      state: "fail",
      found: expect.stringContaining("API_TOKEN is not set") as string,
    });
    expect((await runChecks(stage, { API_TOKEN: "another-token-of-nobody" }))("token")).toMatchObject({
      state: "fail",
      next: expect.stringContaining("check API_TOKEN") as string,
    });
    expect((await runChecks(stage, { API_BASE_URL: "http://127.0.0.1:9" }))("token")).toMatchObject({
      state: "fail",
      next: expect.stringContaining("API_BASE_URL; nothing was charged") as string,
    });
  });

  test("counts workers, incidents and failed slices", async () => {
    const market = { apps: 1, keywordsPerApp: 2 };
    await using stage = await openStage({ market, today: systemClock().today() });
    stage.sandbox.set({
      faults: [
        { operation: "ios.keyword-ranking", contains: "JP", times: 1_000, kind: "status", status: 200, body: "{}" },
        { operation: "ios.keyword-ranking", times: 1_000_000, kind: "status", status: 418 },
      ],
    });
    await using worker = startCommand(stage, ["worker", "--yes"], {
      settings: { notify: { check_seconds: 0.5 }, datasets: { keyword_rank: { history_days: 1 } } },
    });
    await until(async () => (await stage.query("select from ops.incident where kind = 'slices_failed'")).length > 0);
    await until(async () => (await stage.query("select distinct error_code from ops.failed_slice")).length === 2);
    const of = await runChecks(stage);
    expect(of("workers")?.found).toMatch(/^1 in the ledger/);
    expect(of("incidents")).toMatchObject({
      found: expect.stringContaining("Slices failed") as string,
      next: expect.stringContaining("storehouse status") as string,
    });
    expect(of("failed slices")?.found).toContain("keyword_rank (unexpected_status)");
    expect(of("failed slices")?.next).toMatch(
      /^the next try is due at \d{4}-\d\d-\d\d \d\d:\d\d UTC; .*`storehouse retry`/,
    );
    // what was switched off since wants nobody
    const ofOff = await runChecks(stage, {}, false, { datasets: { keyword_rank: { on: false } } });
    expect(ofOff("failed slices")).toMatchObject({ state: "ok", found: "none" });
    await worker.stop();
  });

  test("knows a worker that waits until the API accepts the account, and one that ended with an error", async () => {
    await using stage = await openToday();
    await using worker = startCommand(stage, ["worker", "--yes"], {
      variables: { API_TOKEN: "another-token-of-nobody" },
    });
    const found = async () => (await runChecks(stage))("workers")?.found ?? "";
    await until(async () => (await stage.query("select from ops.worker where ended_as = 'waiting'")).length > 0);
    expect(await found()).toMatch(/^1 waiting until the API accepts the account/);
    expect(await worker.stop()).toMatchObject({ code: 0 });
    expect(await found()).toBe("no worker is running");
    await stage.query("update ops.worker set ended_as = 'bad_crontab'");
    expect(await found()).toBe("no worker is running; the last one ended as bad_crontab");
  });

  test("says that days without a request are unknown where the ledger takes long to read, which is no fault", async () => {
    await using app = await shared.open();
    await using other = await openWarehouse(shared.databaseUrl, 1);
    await other.pool.query("begin; lock table ops.slice in access exclusive mode");
    const { clock, config } = app;
    expect(await checkUnrequestedDays(app.warehouse.db, { settings: config.settings, clock, ms: 50 })).toMatchObject({
      state: "warn",
      next: "`storehouse gaps` says whether there are any",
    });
    await other.pool.query("rollback");
  });

  test("warns while the webhook accepts no messages", async () => {
    await shared.query("update ops.watch set notify_failures = 2");
    const environment = { NOTIFY_URL: "http://127.0.0.1:9/" };
    expect((await runChecks(shared, environment))("messages")).toBeUndefined();
    await shared.query(
      `insert into ops.incident (kind, subject, account_id, summary, detail, opened_at, last_seen_at)
       values ('no_worker', '', '', 'no worker runs', '{}', '2026-08-20 04:00+0', '2026-08-20 04:00+0')`,
    );
    // without a webhook nothing waits for it
    expect((await runChecks(shared))("messages")).toBeUndefined();
    expect((await runChecks(shared, environment))("messages")).toMatchObject({
      state: "warn",
      found:
        "incidents or alerts have waited for the webhook since 2026-08-20 04:00 UTC: it did not accept the last 2 messages",
    });
    await shared.query("delete from ops.incident");
    await shared.query("update ops.watch set notify_failures = 0");
  });

  test("sends a test message only with --notify", async () => {
    await using receiver = await openReceiver();
    const environment = { NOTIFY_URL: receiver.url };
    expect((await runChecks(shared, environment))("webhook")?.state).toBe("ok");
    expect(receiver.requests()).toBe(0);
    expect((await runChecks(shared, environment, true))("webhook")?.state).toBe("ok");
    expect(receiver.received).toMatchObject([{ text: "Storehouse: test message, no incident" }]);
    expect((await runChecks(shared, {}, true))("webhook")?.state).toBe("fail");
    receiver.answer = 404;
    const refused = await visit(shared, environment, "--notify");
    expect([refused.code, refused.of("webhook")?.found]).toEqual([
      1,
      "webhook_failed: the webhook did not accept the message (status=404)",
    ]);
  });
});
