import { quietProgram } from "../support/quiet-program.ts";
import { afterEach, describe, expect, test } from "vitest";
import type { Fault } from "../../src/sandbox/faults.ts";
import { runCommand } from "../support/command.ts";
import type { ChildOptions } from "../support/ingest-child.ts";
import { openStage } from "../support/ingest-stage.ts";
import { forTests } from "../support/for-tests.ts";

describe("what a person requests by a command", () => {
  const stage = forTests(() => openStage({ noData: "empty" }));
  const [ios, android] = ["6446318020", "app.lumi.habit"];

  afterEach(() => {
    stage.sandbox.set({ faults: [] });
    stage.sandbox.clearLog();
  });

  async function run(command: readonly string[], options: ChildOptions = {}) {
    return runCommand(stage, command, options);
  }

  const faulty = (faults: readonly Fault[]) => stage.sandbox.set({ faults });
  const requested = () => stage.requested().map(({ operation, params }) => [operation, params]);
  const newest = () => stage.query("select * from ops.request where slice_id is null order by request_id desc limit 1");

  test("find by name shows apps of both stores, for a credit that is booked and noted without an answer or a token", async () => {
    const { code, stdout, stderr } = await run(["find", "lumi:", "habit"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^store +id +name +category +developer +score\n/);
    expect(stdout).toMatch(/\nios +6446318020 +Lumi: Habit Garden /);
    expect(stdout).toMatch(/\nandroid +app\.lumi\.habit +Lumi: Habit Garden /);
    expect(requested()).toEqual([["dashboard.app-search", { query: "lumi: habit" }]]);
    expect(await newest()).toMatchObject([
      { operation: "dashboard.app-search", class: "person", dataset: null, status: 200, cost: 1, error_code: null },
    ]);
    expect(await stage.query("select from raw.answer")).toEqual([]);
    expect(await stage.query("select held, in_flight from ops.credit_account")).toEqual([{ held: 0, in_flight: 0 }]);
    expect(await stage.query("select kind, stopped_at is null as runs from ops.worker")).toEqual([
      { kind: "command", runs: false },
    ]);
  });

  test("find by the URL of a company takes it with or without a scheme, and prints as JSON what the service reported", async () => {
    const { stdout, stderr } = await run(["find", "--url", "paperlanternlabs.example", "--json"]);
    expect(stderr).toBe("This spends up to 10 credits.\n");
    expect(JSON.parse(stdout)).toEqual(
      [
        { store: "ios", trackId: ios, categoryId: "6007" },
        { store: "android", trackId: android, categoryId: "17" },
      ].map((one) => expect.objectContaining({ ...one, companyUrl: "https://paperlanternlabs.example" })),
    );
    expect((await run(["find", "--url", "https://paperlanternlabs.example", "--json"])).stdout).toBe(stdout);
    expect(await newest()).toMatchObject([{ operation: "dashboard.company-url-search", cost: 10 }]);
  });

  test("find pays nothing for the URL of a script whose host is empty", async () => {
    const before = await newest();
    for (const url of ["", "https://", "HTTP:///"])
      expect(await run(["find", "--url", url])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("there is nothing to search for"),
      });
    expect(await newest()).toEqual(before);
  });

  test("finding nothing is an answer, however the service says it", async () => {
    expect(await run(["find", 'no "such" app'])).toEqual({
      code: 0,
      stdout: 'No app was found for "no \\"such\\" app".\n',
      stderr: "",
    });
    for (const status of [204, 404]) {
      faulty([{ kind: "status", status, body: "", operation: "dashboard.app-search", times: 1 }]);
      expect(await run(["find", "lumi", "--json"])).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
    }
  });

  test("app shows page, counterpart and badge of an app, its store derived from the id", async () => {
    const page = await run(["app", ios, "--country", "jp"]);
    expect(page).toMatchObject({ code: 0, stderr: "This spends up to 20 credits.\n" });
    for (const line of [/^app +ios 6446318020\n/, /\nother store +app\.lumi\.habit\n/, /\nadvertises +(yes|no)\n/])
      expect(page.stdout).toMatch(line);
    const json = await run(["app", android, "--language", "ja", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      store: "android",
      trackId: android,
      detail: { trackId: android, langCode: "ja" },
      match: ios,
      badge: { appAdvertiser: expect.any(Boolean), appPublisher: expect.any(Boolean) },
      unavailable: [],
    });
    expect(requested()).toEqual([
      ["ios.app-detail", { trackId: ios, countryCode: "JP" }],
      ["market.app-match", { store: "ios", trackId: ios }],
      ["ad-intelligence.check-badge", { trackId: ios }],
      ["android.app-detail", { trackId: android, langCode: "JA" }],
      ["market.app-match", { store: "play", trackId: android }],
      ["ad-intelligence.check-badge", { trackId: android }],
    ]);
  });

  test("app says which part is unavailable and why, and shows the others", async () => {
    faulty([
      { kind: "empty-401", operation: "ad-intelligence.check-badge", times: 9 },
      { kind: "status", status: 204, body: "", operation: "market.app-match", times: 9 },
    ]);
    const { code, stdout, stderr } = await run(["app", ios]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/\nNo badge: unauthorised: the API refused the token \(.*\)\.\n$/),
    });
    expect(stdout).toMatch(/\nother store +no matching app is known\n/);
    expect(stdout).not.toContain("advertises");
    faulty([{ kind: "success-false", operation: "ios.app-detail", times: 9 }]);
    const json = JSON.parse((await run(["app", ios, "--json"])).stdout);
    expect(json).toMatchObject({
      detail: null,
      match: android,
      unavailable: [{ part: "detail", code: "success_false" }],
    });
  });

  test("app pays for no other part of an app that the service does not know, and names the way to have it searched for", async () => {
    const { code, stdout, stderr } = await run(["app", "99"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/\nnot_found: .*; `storehouse discover ios 99` requests that the service reads it\.\n$/);
    expect(stderr).not.toContain("nothing to do");
    const other = await run(["app", "com.nobody.knows"]);
    expect(other.stderr).toContain("`storehouse discover android com.nobody.knows --country US`");
    expect(stage.requested().map(({ operation }) => operation)).toEqual(["ios.app-detail", "android.app-detail"]);
    expect(stage.requested().map(({ charged }) => charged)).toEqual([0, expect.any(Number)]);
  });

  test("discover queues an app of either store, and ends with 1 when the service did not", async () => {
    expect((await run(["discover", "ios", "99"])).stdout).toMatch(/^99 is queued\. /);
    const { code, stdout } = await run(["discover", "android", "com.example.app", "--country", "us", "--json"]);
    expect({ code, reported: JSON.parse(stdout) }).toEqual({
      code: 0,
      reported: { store: "android", trackId: "com.example.app", country: "US", queued: true },
    });
    faulty([{ kind: "status", status: 200, body: "false", operation: "ios.app-discovery", times: 1 }]);
    expect(await run(["discover", "ios", "99"])).toMatchObject({
      code: 1,
      stdout: "The service did not queue 99.\n",
    });
  });

  test("a failure is reported with a next step that fits, and without the token", async () => {
    const token = await run(["find", "lumi"], { variables: { API_TOKEN: "a-wrong-token-4711" } });
    expect(token).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/^unauthorised: .*API_TOKEN/) });
    expect(token.stderr).not.toContain("a-wrong-token-4711");
    faulty([{ kind: "success-false", operation: "dashboard.app-search", times: 9 }]);
    const failed = await run(["find", "lumi"]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(
      /^unanswered: success_false: .*message="the data could not be prepared".*run the command again/,
    );
    expect(failed.stderr).not.toMatch(/retry|raw\.answer/);
    faulty([{ kind: "status", status: 500, operation: "dashboard.app-search", times: 2 }]);
    const later = await run(["find", "lumi"], { variables: { LOG_LEVEL: "warn" } });
    expect({ code: later.code, waits: later.stderr.match(/api\.call_retried/g)?.length }).toEqual({
      code: 0,
      waits: 2,
    });
    const missing = await run(["find", "lumi"], { variables: { API_TOKEN: "" } });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/^bad_setting: API_TOKEN is not set; /) });
  });

  test("a token that was typed as a name goes into no table", async () => {
    await run(["find", stage.sandbox.token]);
    expect(await newest()).toMatchObject([{ params: { query: "[hidden]" } }]);
  });
});

test("credits that the service says are used up end a command with 3, also where it reports that some are left", async () => {
  await using stage = await openStage();
  stage.sandbox.set({
    faults: [{ kind: "status", status: 402, body: "", operation: "dashboard.app-search", times: 9 }],
  });
  expect(await runCommand(stage, ["find", "lumi"])).toEqual({
    code: 3,
    stdout: "",
    stderr:
      "allowance_spent: no credits are left for this: the API says so; run the command again after the next reset\n",
  });
});

describe("the floors of the allowance", () => {
  test("are kept for people: a command spends what no sync may, down to the last credit", async () => {
    const token = "a-token-of-few-credits";
    await using stage = await openStage({ accounts: [{ token, total: 1000, remaining: 11, periodHours: 24 }] });
    const settings = { credits: { floors: { snapshot: 0.5, daily: 0.5, lookback: 0.5, history: 0.5 } } };
    const run = async (...command: readonly string[]) => {
      return runCommand(stage, command, { settings });
    };
    expect((await stage.sync({ settings })).outcome).toBe("deferred");
    expect(await run("find", "--url", "paperlanternlabs.example")).toMatchObject({ code: 0 });
    expect(await run("find", "lumi")).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await run("find", "lumi");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(
      /^allowance_spent: no credits are left for this: it takes 1 credit, and 0 of the allowance are left; run the command again after \d{4}-/,
    );
    expect(stage.requested().map(({ status }) => status)).toEqual([200, 200]);
    const credits = await run("credits");
    expect(credits.stdout).toContain("`storehouse credits --forecast` works it out night by night");
    expect(credits.stdout).toMatch(/\n\(balance checks, commands\) +person +2 +11\n/);
  });
});

describe("what cannot be requested", () => {
  test.each([
    [["find"], "there is nothing to search for"],
    [["find", " "], "there is nothing to search for"],
    [["find", "--url", ""], "there is nothing to search for"],
    [["find", "a", "--url", "b.example"], "not for both"],
    [["find", "--url", "habit tracker"], "to search by name, leave --url out"],
    [["app"], "missing required argument"],
    [["app", "no id"], "It is not a track id"],
    [["app", "-5"], "It is not a track id"],
    [["app", "0"], "It is not a track id"],
    [["app", "0284882215"], "It is not a track id"],
    [["discover", "ios", "0"], "It is not a track id"],
    [["keywords", "add", "0", "US", "a"], "It is not a track id"],
    [["app", "99", "--country", "USA"], "It is not a country"],
    [["app", "99", "--country", "zz"], "ZZ is not an ISO 3166-1 country code"],
    [["app", "99", "--language", "en"], "use --country"],
    [["app", "a.b", "--country", "US"], "use --language"],
    [["app", "a.b", "--language", "tlh"], "no such language"],
    [["discover", "windows", "99"], "Allowed choices are ios, android"],
    [["discover", "ios", "a.b"], "the id is one of android"],
    [["discover", "android", "a.b"], "name it by --country"],
    [["discover", "ios", "99", "--country", "US"], "leave --country out"],
    [["discover", "android", "a.b", "--country", "UK"], "did you mean GB?"],
    [["keywords", "add", "99", "US"], "no keyword is given"],
    [["keywords", "add", "99", "US", " "], "bad_argument: a keyword is empty; see"],
    [["keywords", "add", "99", "USA", "a"], "It is not a country"],
    [["keywords", "add", "99", "EN", "a"], "EN is not an ISO 3166-1 country code"],
    [["init", "--yes", "--app", "99", "--country", "ZZ"], "ZZ is not an ISO 3166-1 country code"],
    [["keywords", "add", "no id", "US", "a"], "It is not a track id"],
    [["keywords", "sync", "99", "US", "--file", "no-such-file"], "there is no file no-such-file"],
    [["gateway", "--new-key", "a", "--drop-key", "b"], "cannot be used with"],
    [["sync", "--from", "2026-01-01", "--to", "2026-01-09", "--from", "2026-01-05"], "is given twice"],
    [["backfill", "--max-credits", "5", "--max-credits=500"], "is given twice"],
    [["init", "--yes", "--source", "both", "--source", "config"], "is given twice"],
    // what may be repeated, may
    [["init", "--country", "US", "--country", "DE", "--country", "ZZ"], "ZZ is not an ISO"],
    [["sync", "--yes", "--yes", "--from", "2026-13-01"], "not a calendar day"],
  ])("%j is refused before anything is opened", async (command, problem) => {
    const program = await quietProgram(command[0] ?? "");
    await expect(program.parseAsync(command, { from: "user" })).rejects.toThrow(problem);
  });
});
