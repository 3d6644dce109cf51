import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { accountIdOf } from "../../src/config/config.ts";
import { recordAgreement } from "../../src/credits/agreement.ts";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { openStage, quick, until, type Stage } from "../support/ingest-stage.ts";
import { runCommand } from "../support/command.ts";
import { openOwnTerminal } from "../support/own-terminal.ts";
import { hasTerminal, openTerminal, type Terminal } from "../support/terminal.ts";

/** A first worker at a terminal, that can be started again: in this process, or as one of its own under a terminal that the system has. */
type FirstWorker = AsyncDisposable & {
  readonly stage: Stage;
  readonly start: (variables?: Record<string, string>) => Terminal;
  readonly startProcess: (variables?: Record<string, string>) => Terminal;
  readonly folder: string;
};

const logged = { LOG_LEVEL: "warn" } as const;

async function openFirstWorker(options: SandboxOptions = {}): Promise<FirstWorker> {
  await using opened = new AsyncDisposableStack();
  const market = { apps: 1, countries: ["US"], keywordsPerApp: 3, organicKeywords: 4 };
  const stage = opened.use(await openStage({ market, ...options }));
  const folder = await mkdtemp(path.join(tmpdir(), "storehouse-terminal-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const config = path.join(folder, "storehouse.yaml");
  await writeFile(config, JSON.stringify(quick()));
  const variables = {
    API_BASE_URL: stage.sandbox.url,
    API_TOKEN: stage.sandbox.token,
    DATABASE_URL: stage.databaseUrl,
    STOREHOUSE_CONFIG: config,
    ...logged,
  };
  const stack = opened.move();
  return {
    stage,
    start: (more = {}) => openOwnTerminal(stage, ["worker"], { variables: { ...logged, ...more } }),
    startProcess: (more = {}) => openTerminal(folder, ["worker"], { ...variables, ...more }),
    folder,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** What a terminal shows, as one line. */
function shown(terminal: Terminal): string {
  return terminal.output().replaceAll(/\s+/g, " ");
}

/** How often a terminal has asked for a yes. */
function questions(terminal: Terminal): number {
  return terminal.output().split("(y/N)").length - 1;
}

const refused = "nothing is spent without your agreement";

test("a first worker whose step waits for credits says until when and what to do", async () => {
  await using worker = await openFirstWorker();
  worker.stage.sandbox.spend(99_998);
  await using waiting = worker.start();
  await until(() => questions(waiting) === 1);
  waiting.type("y\r");
  expect(await waiting.ended).toBe(3);
  expect(shown(waiting)).toMatch(
    /Stopped by credits: 1 slice waits\. It can continue at [^:]+:\d\d[^:]*: start the worker again then\. .* The worker has not started\. $/,
  );
  expect(shown(waiting)).not.toContain(refused);
});

test("the help of a worker names the exit codes of one that has not started yet", async () => {
  await using worker = await openFirstWorker();
  const { stdout } = await runCommand(worker.stage, ["worker", "--help"]);
  for (const code of [0, 1, 2, 3, 130]) expect(stdout).toMatch(new RegExp(`Exit codes:[^]*\\b${code}\\s`));
});

test("a first worker whose step fails says what failed and how to continue", async () => {
  const faults = [{ operation: "dashboard.apps", kind: "status", status: 400, times: 50 }] as const;
  await using worker = await openFirstWorker({ faults });
  await using failing = worker.start();
  await until(() => questions(failing) === 1);
  failing.type("y\r");
  expect(await failing.ended).toBe(1);
  expect(shown(failing)).toMatch(
    /0 of 1 slice loaded, 0 credits spent, 1 skipped\. No data of tracked_app .* The worker has not started; start the worker again to continue\. $/,
  );
  expect(shown(failing)).not.toContain(refused);
});

test.skipIf(!hasTerminal)(
  "a first worker waits for a database that is unavailable during a step, and shows the step again",
  async () => {
    await using worker = await openFirstWorker();
    const { stage } = worker;
    const setReadOnly = async (isOn: boolean) => {
      const name = new URL(stage.databaseUrl).pathname.slice(1);
      await stage.query(`alter database ${name} set default_transaction_read_only = ${isOn ? "on" : "off"}`);
      // sessions keep the setting that they began with
      await stage.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'storehouse %' and application_name <> 'storehouse tests' and datname = current_database()",
      );
    };
    await using waiting = worker.startProcess();
    await until(() => questions(waiting) === 1);
    await setReadOnly(true);
    waiting.type("y\r");
    let hasEnded = false;
    void waiting.ended.then(() => (hasEnded = true));
    await until(() => hasEnded || shown(waiting).includes("(database.unavailable "));
    expect(hasEnded).toBe(false);
    expect(stage.requested()).toEqual([]);
    await setReadOnly(false);
    await until(() => questions(waiting) === 2);
    waiting.type("y\r");
    await until(() => questions(waiting) === 3);
    expect(stage.requested()).toHaveLength(1);
    waiting.type("\u0003");
    expect(await waiting.ended).toBe(130);
  },
);

test.skipIf(!hasTerminal)(
  "a worker at a terminal shows the price of the datasets that lack an agreement, and of no other; one that is not agreed to says that",
  async () => {
    await using worker = await openFirstWorker();
    const { stage } = worker;
    await stage.sync({ request: { datasets: ["tracked_app"] } });
    await using app = await stage.open();
    const { db } = app.warehouse;
    const earlier = { accountId: accountIdOf(stage.sandbox.token), datasets: ["tracked_app"], credits: 9 };
    await recordAgreement(db, { ...earlier, by: "--yes" }, app.clock.now());
    const crontab = path.join(worker.folder, "crontab");
    await writeFile(crontab, '0 4 * * * plan_due {"datasets":["tracked_app","tracked_country"]}\n');
    const agreed = "select dataset, agreed_by from ops.agreement order by dataset";

    await using no = worker.start({ STOREHOUSE_CRONTAB: crontab });
    await until(() => questions(no) === 1);
    expect(shown(no)).toContain("tracked_country");
    no.type("n\r");
    expect(await no.ended).toBe(2);
    expect(shown(no)).toContain(`The worker has not started: ${refused}.`);
    expect(await stage.query(agreed)).toHaveLength(1);

    await using yes = worker.startProcess({ STOREHOUSE_CRONTAB: crontab });
    await until(() => questions(yes) === 1);
    yes.type("y\r");
    await until(() => questions(yes) === 2);
    yes.type("y\r");
    await until(() => shown(yes).includes("The worker runs the schedule"));
    expect(await stage.query(agreed)).toEqual([
      { dataset: "tracked_app", agreed_by: "--yes" },
      { dataset: "tracked_country", agreed_by: "terminal" },
    ]);
    expect(shown(yes)).not.toContain("keyword");
    expect(shown(yes)).not.toContain("worker.not_agreed");
    yes.type("\u0003");
    expect(await yes.ended).toBe(0);
  },
);
