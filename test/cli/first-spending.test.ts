import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { accountIdOf } from "../../src/config/config.ts";
import { isAgreed, recordAgreement } from "../../src/credits/agreement.ts";
import { runCommand } from "../support/command.ts";
import type { ChildOptions } from "../support/ingest-child.ts";
import { openStage, quick, today, until, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";
import { startCommand } from "../support/running-command.ts";
import { openOwnTerminal } from "../support/own-terminal.ts";
import { hasTerminal, openTerminal, type Terminal } from "../support/terminal.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 3, organicKeywords: 4 } as const;

async function run(stage: Stage, ...command: readonly string[]) {
  return runCommand(stage, command);
}

/** Runs a worker in this process and stops it once it has planned, or has registered where it plans nothing. */
async function runWorker(
  stage: Stage,
  options: readonly string[] = [],
  { isDone = "select from ops.run where kind = 'schedule'", ...rest }: ChildOptions & { readonly isDone?: string } = {},
) {
  const rows = async () => (await stage.query(isDone)).length;
  const before = await rows();
  await using worker = startCommand(stage, ["worker", ...options], rest);
  await until(async () => worker.hasEnded() || (await rows()) > before);
  return await worker.stop();
}

test("without a terminal the first sync and the first worker spend nothing and say what they would; agreed once, neither wants a confirmation", async () => {
  await using stage = await openStage({ market });
  for (const ended of [await run(stage, "sync", "--as-of", today), await run(stage, "worker")]) {
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(
      /^spending_not_agreed: .*the next step costs 5 credits \(tracked_app 5\).*add --yes.*\n$/,
    );
  }
  expect(stage.requested()).toEqual([]);

  // a part that was agreed to is that part
  const apps = ["sync", "--as-of", today, "--dataset", "tracked_app"];
  expect(await run(stage, ...apps, "--yes")).toMatchObject({ code: 0 });
  expect(await run(stage, ...apps)).toMatchObject({ code: 0, stderr: "" });
  expect(stage.requested()).toHaveLength(1);
  expect(await run(stage, "sync", "--as-of", today)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("tracked_country 1"),
  });

  const first = await run(stage, "sync", "--as-of", today, "--yes");
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ of \d+ slices loaded/) });
  expect(first.stderr).toContain("1 credit");
  const again = await run(stage, "sync", "--as-of", today);
  expect(again).toMatchObject({ code: 0, stderr: "" });
  expect(await runWorker(stage)).toMatchObject({ code: 0 });
});

test("a refused token is reported before any price", async () => {
  await using stage = await openStage({ market });
  for (const command of [["sync", "--as-of", today], ["worker"]])
    expect(await runCommand(stage, command, { variables: { API_TOKEN: "wrong" } })).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/^unauthorised: .*API_TOKEN/),
    });
});

test("a yes to named days is one to this sync: what comes after it shows its own price", async () => {
  await using stage = await openStage({ market });
  const days = ["sync", "--as-of", today, "--from", "2026-08-18"];
  expect(await run(stage, ...days)).toMatchObject({ code: 2 });
  const first = await run(stage, ...days, "--yes");
  expect(first.code).toBe(0);
  const before = stage.requested().length;
  expect(before).toBeGreaterThan(3);
  for (const later of [["sync", "--as-of", today], ["worker"], [...days.slice(0, 3), "--to", "2026-08-17"]])
    expect(await run(stage, ...later)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^spending_not_agreed: .*the next step costs \d+ credits/),
    });
  expect(stage.requested()).toHaveLength(before);
  expect(first.stderr).toContain("A yes covers these days only");
  expect(first.stderr).not.toContain("A night then costs");

  expect(await run(stage, "sync", "--as-of", today, "--yes")).toMatchObject({ code: 0 });
  expect(await run(stage, ...days)).toMatchObject({ code: 0, stderr: "" });
});

test("a worker is agreed to by --yes", async () => {
  await using stage = await openStage({ market });
  const first = await runWorker(stage, ["--yes"]);
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining("tracked_app, 1 request, 5 credits") });
  const agreed = await stage.query("select account_id, dataset, credits, agreed_by from ops.agreement");
  const accountId = accountIdOf(stage.sandbox.token);
  expect(agreed).toEqual([{ account_id: accountId, dataset: "", credits: 5, agreed_by: "--yes" }]);
});

test("a worker whose crontab names its datasets is agreed to for these, and for no other", async () => {
  await using stage = await openStage({ market });
  await using files = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), "storehouse-crontab-"));
  files.defer(() => rm(folder, { recursive: true }));
  const crontab = async (name: string, ...lines: readonly (readonly string[])[]) => {
    const file = path.join(folder, name);
    const texts = lines.map((datasets, id) => `0 4 * * * plan_due ?id=line_${id} ${JSON.stringify({ datasets })}`);
    await writeFile(file, `${texts.join("\n")}\n`);
    return { variables: { STOREHOUSE_CRONTAB: file } };
  };
  const few = await crontab("few", ["tracked_app"], ["tracked_country", "top_chart"]);
  expect(await runWorker(stage, ["--yes"], few)).toMatchObject({ code: 0 });
  const agreed = "select dataset from ops.agreement order by dataset";
  expect(await stage.query(agreed)).toMatchObject([
    { dataset: "top_chart" },
    { dataset: "tracked_app" },
    { dataset: "tracked_country" },
  ]);
  // the nights of what was agreed to do not wait for someone who agrees to the rest
  const more = await crontab("more", ["tracked_app", "keyword_rank"]);
  const all = await crontab("all", ["tracked_app"], []);
  for (const { variables } of long ? [more, all] : [all])
    expect(await runWorker(stage, [], { variables: { ...variables, LOG_LEVEL: "warn" } })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('"datasets":"keyword_rank"'),
    });
  expect(await stage.query("select from ops.slice where dataset = 'keyword_rank'")).toEqual([]);
  expect(await runWorker(stage, [], await crontab("other", ["keyword_rank"]))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^spending_not_agreed: /),
  });
  expect(await run(stage, "sync", "--as-of", today)).toMatchObject({ code: 2 });
  // what the settings switch off is not planned, so that nothing is left to agree to
  const settings = { datasets: { top_chart: { on: false } } };
  const off = { settings, ...(await crontab("off", ["top_chart"])), isDone: "select from ops.worker" };
  expect(await runWorker(stage, [], off)).toMatchObject({ code: 0 });

  expect(await runWorker(stage, ["--yes"], all)).toMatchObject({ code: 0 });
  expect(await stage.query(agreed)).toContainEqual({ dataset: "" });
});

test("an agreement is that of an account, and everything that is on holds each dataset", async () => {
  await using stage = await openStage({ market });
  await using app = await stage.open();
  const { db } = app.warehouse;
  const of = (accountId: string, ...datasets: string[]) => isAgreed(db, { accountId, datasets });
  await recordAgreement(db, { accountId: "a", datasets: ["review", "review"], credits: 7, by: "terminal" }, 0);
  expect(await Promise.all([of("a", "review"), of("a"), of("a", "review", "bid_change"), of("b", "review")])).toEqual([
    true,
    false,
    false,
    false,
  ]);
  await recordAgreement(db, { accountId: "a", datasets: [], credits: 9, by: "--yes" }, 0);
  expect(await Promise.all([of("a"), of("a", "bid_change"), of("b")])).toEqual([true, true, false]);
});

test("a limit is an agreement up to it, and to nothing after it", async () => {
  await using stage = await openStage({ market });
  expect(await run(stage, "sync", "--as-of", today, "--max-credits", "6")).toMatchObject({ code: 3 });
  expect(stage.requested()).toHaveLength(2);
  expect(await run(stage, "sync", "--as-of", today)).toMatchObject({ code: 2 });
});

const sync = ["sync", "--as-of", today];

/** The prices that were put to a person at a terminal. */
function questions(terminal: Terminal): number[] {
  const asked = terminal.output().matchAll(/Spend ([\d,]+) credits?\? \(y\/N/g);
  return [...asked].map(([, credits = ""]) => Number(credits.replaceAll(",", "")));
}

const charged = (stage: Stage) => stage.requested().reduce((sum, { charged: taken }) => sum + taken, 0);

/** Starts the sync of a stage as a process of its own, under a terminal that the system has. */
async function openProcess(stage: Stage, opened: AsyncDisposableStack): Promise<Terminal> {
  const folder = await mkdtemp(path.join(tmpdir(), "storehouse-terminal-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const config = path.join(folder, "storehouse.yaml");
  await writeFile(config, JSON.stringify(quick()));
  const variables = {
    API_BASE_URL: stage.sandbox.url,
    API_TOKEN: stage.sandbox.token,
    DATABASE_URL: stage.databaseUrl,
    STOREHOUSE_CONFIG: config,
  };
  return opened.use(openTerminal(folder, sync, variables));
}

test.skipIf(!hasTerminal)(
  "at a terminal each step is priced, agreed to and run within its price, before the next one is planned; what is typed before a price is shown agrees to nothing",
  async () => {
    await using stage = await openStage({ market });
    await using opened = new AsyncDisposableStack();
    const no = await openProcess(stage, opened);
    await until(() => questions(no).length === 1);
    expect(charged(stage)).toBe(0);
    // as someone does who sees nothing happen
    no.type("y\ry\ry\r");
    await until(() => questions(no).length === 2);
    // no answer to one price agrees to one that is not shown yet
    no.type("a\r");
    expect(await no.ended).toBe(2);
    expect([questions(no), charged(stage)]).toEqual([[5, 1], 5]);
    expect(await stage.query("select from ops.agreement")).toEqual([]);

    await using stopped = openOwnTerminal(stage, sync);
    await until(() => questions(stopped).length === 1);
    stopped.type("\u0003");
    expect(await stopped.ended).toBe(130);
    expect(stopped.output()).toContain("\nStopped: nothing is spent without your agreement.\n");

    const yes = await openProcess(stage, opened);
    for (const [index, agreed] of [1, 50].entries()) {
      await until(() => questions(yes).length === index + 1);
      expect(questions(yes)[index]).toBe(agreed);
      yes.type("y\r");
    }
    await until(() => questions(yes).length === 3);
    expect(charged(stage)).toBe(5 + 1 + 50);
    expect(yes.output()).toContain("A night then costs about");
    const { stdout: runs } = await run(stage, "runs");
    expect([runs.match(/as far as agreed/g)?.length, runs.includes("limit")]).toEqual([3, false]);
    expect(await stage.query("select from ops.agreement")).toEqual([]);
    yes.type("y\r");
    expect(await yes.ended).toBe(0);
    const [price = 0] = questions(yes).slice(-1);
    expect(charged(stage)).toBe(56 + price);
    expect(await stage.query("select credits, agreed_by from ops.agreement")).toEqual([
      { credits: price, agreed_by: "terminal" },
    ]);
    expect(
      yes
        .output()
        .replaceAll("\r", "")
        .split("\n")
        .filter((line) => !line.includes("\u001b") && line.length > 80),
    ).toEqual([]);
  },
);

test("at a terminal a sync of lists only, and one that finds nothing missing, show the price of a night and record a yes to it", async () => {
  await using stage = await openStage({ market });
  const isAsked = (terminal: Terminal) => terminal.output().includes("May workers and later syncs spend that? (y/N");
  const agreements = () => stage.query("select dataset, credits, agreed_by from ops.agreement order by dataset");

  await using lists = openOwnTerminal(stage, [...sync, "--dataset", "tracked_app"]);
  await until(() => questions(lists).length === 1);
  lists.type("y\r");
  await until(() => isAsked(lists));
  expect([lists.output().includes("A night then costs about"), await agreements()]).toEqual([true, []]);
  lists.type("y\r");
  expect(await lists.ended).toBe(0);
  const ofLists = { dataset: "tracked_app", credits: 0, agreed_by: "terminal" };
  expect(await agreements()).toEqual([ofLists]);

  // a limit agrees to this sync only
  expect(await run(stage, "sync", "--as-of", today, "--max-credits", "1000")).toMatchObject({ code: 0 });
  const before = stage.requested().length;
  await using no = openOwnTerminal(stage, sync);
  await until(() => isAsked(no));
  no.type("\r");
  expect([await no.ended, await agreements()]).toEqual([0, [ofLists]]);
  await using yes = openOwnTerminal(stage, sync);
  await until(() => isAsked(yes));
  yes.type("y\r");
  expect(await yes.ended).toBe(0);
  expect(await agreements()).toEqual([{ ...ofLists, dataset: "" }, ofLists]);
  expect(stage.requested()).toHaveLength(before);
});

test("at a terminal a sync with failed slices records a yes to nights, and prices those whose next try is due before it requests them", async () => {
  const faults = ["ios", "android"].map(
    (store) => ({ operation: `${store}.keyword-ranking`, times: 1_000_000, kind: "status", status: 500 }) as const,
  );
  await using stage = await openStage({ market, faults });
  const agreements = () => stage.query("select dataset, agreed_by from ops.agreement");
  expect(await run(stage, "sync", "--as-of", today, "--max-credits", "1000")).toMatchObject({ code: 1 });
  const before = stage.requested().length;

  await using nights = openOwnTerminal(stage, sync);
  await until(() => nights.output().includes("May workers and later syncs spend that? (y/N"));
  nights.type("y\r");
  expect([await nights.ended, await agreements()]).toEqual([1, [{ dataset: "", agreed_by: "terminal" }]]);
  expect(stage.requested()).toHaveLength(before);

  await stage.query("delete from ops.agreement");
  stage.sandbox.set({ faults: [] });
  stage.sandbox.clearLog();
  await stage.query("update ops.slice set due_at = ended_at where state = 'failed'");
  await using tries = openOwnTerminal(stage, sync);
  await until(() => questions(tries).length === 1);
  expect(stage.requested()).toEqual([]);
  tries.type("y\r");
  expect([await tries.ended, await agreements()]).toEqual([0, [{ dataset: "", agreed_by: "terminal" }]]);
  expect(charged(stage)).toBe(questions(tries)[0]);
});
