import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { fail } from "../../src/core/errors.ts";
import type { SendRequest } from "../../src/person/api-session.ts";
import { changeKeywords } from "../../src/person/keyword-changes.ts";
import { withAdvisoryLock } from "../../src/postgres/advisory-lock.ts";
import { runCommand } from "../support/command.ts";
import type { Behind } from "../support/ingest-child.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { gateAfter, openStage, quick, until, type Stage } from "../support/ingest-stage.ts";
import { startCommand } from "../support/running-command.ts";
import { openSynced } from "../support/synced-stage.ts";
import { hasTerminal, openTerminal } from "../support/terminal.ts";

const app = "6446318020";

async function run(stage: Behind, command: readonly string[]) {
  return runCommand(stage, ["keywords", ...command]);
}

/** What was requested since the log was cleared, the bodies of changes with it. */
function requested(stage: Stage) {
  return stage.requested().map(({ operation, params }) => [operation?.replace("dashboard.", ""), params["body"]]);
}

async function tracked(stage: Stage, country: string) {
  const rows = await stage.query<{ keyword: string }>(
    `select k.keyword from core.tracked_keyword as t join core.dim_keyword as k using (keyword_key)
     join core.dim_app as a using (app_key) join core.dim_country as c using (country_key)
     where t.is_current and a.track_id = $1 and c.country_code = $2`,
    [app, country],
  );
  return rows.map(({ keyword }) => keyword).sort();
}

const followed = { request: { datasets: ["tracked_keyword"] } } as const;

/** Opens a stage that has synced the keywords of its account. */
const openWithLists = () => openSynced({}, followed);

describe("keywords that the account tracks", () => {
  test("are not changed where no terminal can confirm: the command shows the change, which takes the count alone", async () => {
    await using stage = await openWithLists();
    const { code, stdout, stderr } = await run(stage, ["add", app, "US", "Habit Tracker", "yoga at home"]);
    expect(stdout).toMatch(
      /^The account tracks 12 keywords for \d+ in US\.\n\+ yoga at home\n1 to add, 0 to remove, 1 keyword needs no change: 1 credit\.\nA night then costs the same as now\. The first night also takes about \d+ credits for the history of the added keywords and 51 credits to read the account's lists of keywords again\.\n$/,
    );
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^not_confirmed: .*--yes.*\n$/) });
    expect(requested(stage)).toEqual([["number-of-keywords", undefined]]);
    const json = await run(stage, ["add", app, "US", "yoga at home", "--json", "--dry-run"]);
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({ add: ["yoga at home"], remove: [], credits: 1, added: null });
  });

  test("are counted where the service names the countries in lower case", async () => {
    await using stage = await openWithLists();
    await using proxy = await openProxy(stage.sandbox, (passing) => {
      if (passing.target.includes("count-by-country")) passing.body = passing.body.replaceAll('"US"', '"us"');
    });
    const { stdout } = await run({ databaseUrl: stage.databaseUrl, sandbox: { ...stage.sandbox, ...proxy } }, [
      "remove",
      app,
      "US",
      "x",
    ]);
    expect(stdout).toContain("The account tracks 12 keywords");
  });

  test("are added with --yes, and the next sync of the same day reads the list again, once", async () => {
    await using stage = await openWithLists();
    const { code, stdout } = await run(stage, ["add", app, "US", "yoga at home", "habit tracker", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n1 added, 0 removed\. The next `storehouse sync` reads the list again\.\n$/);
    expect(requested(stage)).toEqual([
      ["number-of-keywords", undefined],
      ["add-keywords", ["yoga at home"]],
    ]);
    stage.sandbox.clearLog();
    await stage.sync(followed);
    expect(requested(stage).map(([operation]) => operation)).toEqual(["number-of-keywords", "daily-keyword-rankings"]);
    expect(await tracked(stage, "US")).toHaveLength(13);
    expect(await tracked(stage, "US")).toContain("yoga at home");
  });

  test("whose change is refused are not read again: nothing has changed", async () => {
    await using stage = await openWithLists();
    // an app that the service does not know
    const { code, stderr } = await run(stage, ["add", "4711", "US", "a refused keyword", "--yes"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("not_found") });
    expect(stderr).not.toContain("not known whether");
    expect(await stage.sync(followed)).toMatchObject({ outcome: "loaded", progress: { total: 0 } });
  });

  test.each([
    ["add", "a word"],
    ["remove", "habit tracker"],
  ])("are not called changed if the change meets a redirect, and no second call is sent: %s", async (verb, keyword) => {
    await using stage = await openWithLists();
    await using proxy = await openProxy(stage.sandbox, (passing) => {
      if (passing.method === "GET") return;
      passing.status = 307;
      passing.headers = { location: `https://elsewhere.invalid${passing.target}` };
    });
    const behind = { databaseUrl: stage.databaseUrl, sandbox: { ...stage.sandbox, ...proxy } };
    const { code, stdout, stderr } = await run(behind, [verb, app, "US", keyword, "--yes"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^Only part of it was confirmed: 0 of \d added, 0 of \d removed\. It is not known .*\nredirected: .* set API_BASE_URL/,
      ),
    });
    expect(stdout).not.toContain("The next `storehouse sync`");
    expect(requested(stage).filter(([name]) => /^(add|delete)-/.test(String(name)))).toHaveLength(1);
  });

  test("whose change never reached the API are not read again: nothing has changed", async () => {
    await using stage = await openWithLists();
    await stage.sync(followed);
    await using opened = await stage.open();
    const send: SendRequest = (_operation, _params, onFailure) => {
      const failure = fail("no_connection");
      onFailure?.(failure);
      return Promise.reject(failure);
    };
    const session = { app: opened, send, stop: new AbortController().signal };
    const now = { count: 12, keywords: null, isAppTracked: true };
    const changes = { add: ["a word", "another"], remove: ["habit tracker"], left: [] };
    expect(await changeKeywords(session, { trackId: app, country: "US" }, now, changes)).toMatchObject({
      added: [],
      removed: [],
      error: { code: "no_connection" },
      isFailureKnown: true,
    });
    expect(await stage.sync(followed)).toMatchObject({ outcome: "loaded", progress: { total: 0 } });
  });

  test("are swapped for others: the list is read again although the count is the same", async () => {
    await using stage = await openWithLists();
    const before = await tracked(stage, "JP");
    const file = path.join(tmpdir(), `storehouse-swap-${process.pid}.txt`);
    await writeFile(file, `\uFEFF# japan\r\n${before.slice(1).join("\r\n")}\r\n\r\nnew one\r\n`);
    const { code, stdout } = await run(stage, ["sync", app, "jp", "--file", file, "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      `\n+ new one\n- ${before[0]}\n1 to add, 1 to remove, 11 keywords need no change: 2 credits.\n`,
    );
    expect(requested(stage)).toEqual([
      ["number-of-keywords", undefined],
      ["add-keywords", ["new one"]],
      ["delete-keywords", [before[0]]],
    ]);
    stage.sandbox.clearLog();
    await stage.sync(followed);
    expect(
      requested(stage)
        .map(([operation]) => operation)
        .sort(),
    ).toEqual(["daily-keyword-rankings", "number-of-keywords"]);
    expect(await tracked(stage, "JP")).toEqual([...before.slice(1), "new one"].sort());
    const again = await run(stage, ["sync", app, "JP", "--file", file, "--yes"]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("0 to add, 0 to remove") });
    expect(requested(stage).map(([operation]) => operation)).not.toContain("delete-keywords");
    await rm(file);
  });

  test("are read anew where their number changed behind our back, and before that nothing is removed", async () => {
    await using stage = await openWithLists();
    const [first, second, ...rest] = await tracked(stage, "US");
    await run(stage, ["remove", app, "US", first ?? "", "--yes"]);
    stage.sandbox.clearLog();
    const unknown = await run(stage, ["remove", app, "US", second ?? "", "--dry-run"]);
    expect(unknown.stdout).toContain("It is not known which keywords these are");
    expect(requested(stage).map(([operation]) => operation)).toEqual(["number-of-keywords"]);
    const { stdout } = await run(stage, ["sync", app, "US", ...rest, "--yes", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ isListKnown: true, add: [], remove: [second], removed: [second] });
    expect(
      requested(stage)
        .map(([operation]) => operation)
        .slice(-3),
    ).toEqual(["number-of-keywords", "daily-keyword-rankings", "delete-keywords"]);
  });

  test("are those that are named and no others, also where another process changes them first", async () => {
    await using stage = await openWithLists();
    const theirs = new pg.Client({ connectionString: stage.databaseUrl });
    await theirs.connect();
    await theirs.query("select pg_advisory_lock(hashtext('storehouse keywords'))");
    const ours = run(stage, ["sync", app, "JP", "one", "two", "--yes"]);
    const waiting =
      "select from pg_locks join pg_database on oid = database where datname = current_database() and locktype = 'advisory' and not granted";
    await until(async () => (await stage.query(waiting)).length === 1);
    const { url, token } = stage.sandbox;
    const added = await fetch(`${url}/gateway/account/app/${app}/keywords/JP?token=${token}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(["theirs"]),
    });
    expect(added.status).toBe(200);
    await theirs.end();
    expect(await ours).toMatchObject({ code: 0 });
    await stage.sync(followed);
    expect(await tracked(stage, "JP")).toEqual(["one", "two"]);
  });

  test.skipIf(!hasTerminal)(
    "are not changed where another process has changed them while the person was deciding, and what was shown costs nothing more",
    async () => {
      await using stage = await openWithLists();
      const folder = await mkdtemp(path.join(tmpdir(), "storehouse-terminal-"));
      const config = path.join(folder, "storehouse.yaml");
      await writeFile(config, JSON.stringify(quick()));
      await using terminal = openTerminal(folder, ["keywords", "sync", app, "JP", "mine"], {
        API_BASE_URL: stage.sandbox.url,
        API_TOKEN: stage.sandbox.token,
        DATABASE_URL: stage.databaseUrl,
        STOREHOUSE_CONFIG: config,
      });
      await until(() => /Do it, for \d credits?\? \(y\/N\)/.test(terminal.output()));
      expect(await run(stage, ["add", app, "JP", "theirs", "--yes"])).toMatchObject({ code: 0 });
      stage.sandbox.clearLog();
      terminal.type("y\r");
      expect(await terminal.ended).toBe(2);
      expect(terminal.output()).toContain("keywords_changed: ");
      expect(requested(stage)).toEqual([]);
      await rm(folder, { recursive: true });
    },
  );
});

test("changes go by the two hundred, and where the credits end in between it is said what was done", async () => {
  const token = "a-token-of-few-credits";
  await using stage = await openStage({ accounts: [{ token, total: 1000, remaining: 3, periodHours: 24 }] });
  const words = Array.from({ length: 450 }, (_, index) => `word ${index}`);
  const { code, stdout, stderr } = await run(stage, ["add", app, "JP", ...words, "--yes", "--json"]);
  expect(code).toBe(3);
  expect(stderr).toMatch(/Only part of it was done: 400 of 450 added, 0 of 0 removed.*\nallowance_spent: /);
  expect(JSON.parse(stdout)).toMatchObject({ credits: 3, added: words.slice(0, 400), removed: [] });
  expect(requested(stage)).toEqual([
    ["number-of-keywords", undefined],
    ["add-keywords", words.slice(0, 200)],
    ["add-keywords", words.slice(200, 400)],
  ]);
  expect(await stage.query("select sum(cost)::int as cost from ops.request")).toEqual([{ cost: 3 }]);
});

test("a change that is interrupted ends the call under way, says what was done and sends no other", async () => {
  const gate = gateAfter(2);
  await using stage = await openStage({ clock: gate.clock, latencyMs: gate.latencyMs });
  const words = Array.from({ length: 450 }, (_, index) => `word ${index}`);
  await using change = startCommand(stage, ["keywords", "add", app, "JP", ...words, "--yes"]);
  await until(() => gate.held() === 1);
  const ended = change.stop("SIGINT");
  gate.open();
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(/^Only part of it was confirmed: 200 of 450 added, .*\nInterrupted\.\n$/);
  expect(requested(stage).map(([, body]) => (Array.isArray(body) ? body.length : 0))).toEqual([0, 200]);
  expect(await stage.query("select held, in_flight from ops.credit_account")).toEqual([{ held: 0, in_flight: 0 }]);
});

describe("a change whose reply was lost", () => {
  const adding = { operation: "dashboard.add-keywords", times: 1 } as const;
  const lost = { ...adding, kind: "half" } as const;

  test("is not called ignored where the retry is answered without it", async () => {
    await using stage = await openWithLists();
    stage.sandbox.set({ faults: [lost] });
    const { code, stdout } = await run(stage, ["add", app, "JP", "a word", "--yes"]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/\n0 added, 0 removed\. .*\nThe service did not confirm "a word": .*lost\.\n$/),
    });
    await stage.sync(followed);
    expect(await tracked(stage, "JP")).toContain("a word");
  });

  test.each([400, 403])(
    "is not called undone where the retry is refused with %i, and the lists are read again",
    async (status) => {
      await using stage = await openWithLists();
      stage.sandbox.set({ faults: [lost, { ...adding, kind: "status", status }] });
      const { stderr } = await run(stage, ["add", app, "JP", "a word", "--yes"]);
      expect(stderr).toMatch(
        /Only part of it was confirmed: 0 of 1 added, .* It is not known whether the failed call took effect/,
      );
      await stage.sync(followed);
      expect(await tracked(stage, "JP")).toContain("a word");
    },
  );
});

test("a change that waits for another process is interrupted without waiting for its end", async () => {
  await using stage = await openStage();
  await using other = await stage.open();
  const code = await withAdvisoryLock(other.warehouse.db, "keywords", async () => {
    await using change = startCommand(stage, ["keywords", "add", app, "JP", "a word", "--yes"]);
    const waiting =
      "select from pg_locks join pg_database on oid = database where datname = current_database() and locktype = 'advisory' and not granted";
    await until(async () => (await stage.query(waiting)).length > 0);
    return (await change.stop("SIGINT")).code;
  });
  expect(code).toBe(130);
  expect(requested(stage)).toEqual([]);
});

test("an app that was not tracked is tracked with its first keyword, and a list that was never synced is bought only for sync", async () => {
  await using stage = await openStage({ market: { keywordsPerApp: 0 } });
  const { code, stdout } = await run(stage, ["sync", app, "US", "first", "--yes"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("tracks 0 keywords") });
  expect(stdout).toContain("\nThe last sync did not find 6446318020 among the account's apps: ");
  expect(requested(stage)).toEqual([
    ["number-of-keywords", undefined],
    ["add-keywords", ["first"]],
  ]);
  stage.sandbox.clearLog();
  await run(stage, ["sync", app, "US", "first", "second", "--dry-run"]);
  expect(requested(stage).map(([operation]) => operation)).toEqual(["number-of-keywords", "daily-keyword-rankings"]);
});
