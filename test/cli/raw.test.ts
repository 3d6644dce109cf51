import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { openStage, today } from "../support/ingest-stage.ts";
import { filesOf } from "../support/raw-stage.ts";
import { forTests } from "../support/for-tests.ts";
import { temporaryFolder } from "../support/folder.ts";

/** An answer as a file that a person wrote. */
const byHand = {
  dataset: "keyword_rank",
  operation: "ios.keyword-ranking",
  class: "daily",
  as_of: today,
  scope: { store: "ios", app: "42", country: "US" },
  window: { from: today, to: today },
  items: ["chess"],
  body: [],
};

describe("storehouse raw", () => {
  const stage = forTests(() => openStage({ market: { apps: 1 } }));
  let slice: string;

  beforeAll(async () => {
    await stage.sync({ request: { datasets: ["tracked_keyword"] } });
    const [first] = await stage.query<{ slice_id: string }>(
      "select slice_id from ops.slice where dataset = 'tracked_keyword' order by slice_id limit 1",
    );
    slice = first?.slice_id ?? "";
    stage.sandbox.clearLog();
  });

  /** Runs a command without the token and the address of the API. */
  async function run(command: readonly string[], databaseUrl = stage.databaseUrl, account = "", columns = "") {
    return runCommand({ databaseUrl, sandbox: stage.sandbox }, ["raw", ...command], {
      settings: { accounts: { acme: {} } },
      variables: { API_TOKEN: "", API_BASE_URL: "", STOREHOUSE_ACCOUNT: account, COLUMNS: columns },
    });
  }

  test("lists one line an answer, and as JSON", async () => {
    const { code, stdout, stderr } = await run(["list", "--dataset", "tracked_keyword", "--limit", "1"]);
    expect(code).toBe(0);
    const [headings, , line, ...others] = stdout.trim().split("\n");
    expect(headings).toMatch(/^ *slice +attempt +page +operation +about +from +to +state +status +bytes +fetched at$/);
    expect(line).toMatch(/ dashboard\.\S+ +app=\S+ country=\S+ store=ios +2026-08-20 +2026-08-20 +loaded +200 /);
    expect(others).toEqual([]);
    expect(stderr).toContain("1 of 2 answers; --limit shows more.");
    const json = await run(["list", "--slice", slice, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject([{ sliceId: slice, page: 0, status: 200, state: "loaded" }]);
  });

  test("keeps what an answer is about on a screen of 80 columns", async () => {
    const { stdout } = await run(["list", "--dataset", "tracked_keyword", "--limit", "1"], undefined, "", "80");
    expect(stdout).toMatch(/^slice +operation +about +from +to +state +fetched at\n/);
    expect(stdout).toContain("A wider terminal also shows: attempt, page, status, bytes.");
  });

  test("shows a body laid out or as it came, and what it answers apart from it", async () => {
    const shown = await run(["show", slice]);
    expect(shown.stderr).toMatch(new RegExp(`^slice ${slice} \\(loaded\\), page 0 of 1: tracked_keyword by `));
    const bytes = await run(["show", slice, "--bytes"]);
    expect(shown.stdout).toBe(`${JSON.stringify(JSON.parse(bytes.stdout), null, 2)}\n`);
    const [kept] = await stage.query<{ byte_count: number }>("select byte_count from raw.answer where slice_id = $1", [
      slice,
    ]);
    expect(Buffer.byteLength(bytes.stdout)).toBe(kept?.byte_count);
  });

  test.each([
    [["show", "9999999"], "bad_argument: there is no slice 9999999: `storehouse raw list` shows"],
    [["show", "1", "--page", "3"], "slice 1 has only these pages stored: 0"],
    [["list", "--operation", "nothing"], "storehouse operations"],
    [["import", "/nowhere/at/all"], "there is no file or folder /nowhere/at/all"],
    [["import", "/dev/null/file"], "/dev/null/file exists but cannot be read"],
    [["export", "--out", "/dev/null"], "unwritable_file: /dev/null cannot be written: EEXIST"],
    [["export", "--out", "/dev/null/below"], "unwritable_file: /dev/null/below cannot be written: ENOTDIR"],
    [
      ["export", "--out", "/proc/storehouse/below"],
      "unwritable_file: /proc/storehouse/below cannot be written: ENOENT",
    ],
  ])("reports what is wrong with %j in one line and ends with 2", async (command, problem) => {
    const { code, stderr } = await run(command);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(problem) });
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("reports in one line that an export cannot be written into its folder, or over what is no export", async () => {
    using out = temporaryFolder();
    await writeFile(path.join(out.path, "tracked_keyword"), "in the way");
    const blocked = await run(["export", "--dataset", "tracked_keyword", "--out", out.path]);
    expect(blocked).toMatchObject({ code: 2, stderr: expect.stringMatching(/^unwritable_file: .*\n$/) });
    await writeFile(path.join(out.path, "manifest.json"), "{}");
    for (const command of [
      ["export", "--out", out.path],
      ["import", out.path],
    ]) {
      const { code, stderr } = await run(command);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/^bad_argument: .*not a manifest.*\n$/),
      });
    }
  });

  test("refuses a named pipe in one line, also in a folder, and does not wait for who writes into it", async () => {
    using place = temporaryFolder();
    const pipe = path.join(place.path, "pipe.json");
    execFileSync("mkfifo", [pipe]);
    for (const named of [pipe, place.path]) {
      const { code, stderr } = await run(["import", named]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `bad_answer_file: ${pipe} is not loaded: it is a pipe, a device or a folder: write the answer into a file; correct the file and import it again; docs/answers-as-files.md describes its fields\n`,
      });
    }
  });

  test("refuses a file that is not UTF-8", async () => {
    using place = temporaryFolder();
    const file = path.join(place.path, "latin1.json");
    await writeFile(file, Buffer.from('{"dataset":"caf\xe9"}', "latin1"));
    const { code, stderr } = await run(["import", file]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/latin1\.json is not loaded: it is not UTF-8 text/),
    });
  });

  test("says so where nothing is stored that fits, and where a folder holds no answer", async () => {
    const { code, stdout } = await run(["list", "--to", "2001-01-01"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^No stored answer matches\./) });
    expect((await run(["list", "--to", "2001-01-01", "--json"])).stdout).toBe("[]\n");
    using place = temporaryFolder();
    const empty = await run(["import", place.path]);
    expect(empty).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`no .json file with an answer in ${place.path}`),
    });
  });

  test("exports and imports without a token, and sends no request", async () => {
    using out = temporaryFolder();
    await using target = await openStage();
    const exported = await run(["export", "--out", out.path]);
    expect(exported).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ answers written, 0 already there\.\n$/),
    });
    const count = Object.keys(await filesOf(out.path)).length - 1;
    const dry = await run(["import", out.path, "--dry-run"], target.databaseUrl);
    expect(dry).toMatchObject({ code: 0, stdout: `${count} answers would be loaded, 0 already known.\n` });
    expect(await target.query("select from ops.slice")).toEqual([]);
    const imported = await run(["import", out.path], target.databaseUrl, "acme");
    expect(await target.query("select kind, account from ops.run")).toEqual([{ kind: "import", account: "acme" }]);
    expect(imported.stdout).toMatch(new RegExp(`^${count} answers loaded with \\d+ rows?, 0 already known\\.`));
    expect(stage.sandbox.log()).toEqual([]);
    expect(target.sandbox.log()).toEqual([]);
  });

  test("counts the rows that did not fit by file and ends with 1, though the others are loaded", async () => {
    using place = temporaryFolder();
    await using target = await openStage();
    const row = {
      trackId: 42,
      keyword: "chess",
      countryCode: "US",
      date: `${today}T03:00:00`,
      appKind: "IPHONE",
      rank: 3,
    };
    const part = path.join(place.path, "part.json");
    await writeFile(part, JSON.stringify({ ...byHand, body: [row, { ...row, trackId: 43 }] }));
    await writeFile(path.join(place.path, "whole.json"), JSON.stringify({ ...byHand, items: ["go"] }));
    const dry = await run(["import", place.path, "--dry-run"], target.databaseUrl);
    expect(dry).toMatchObject({
      code: 1,
      stdout: "2 answers would be loaded, 0 already known. 1 row would be rejected.\n",
    });
    expect(await target.query("select from ops.reject")).toEqual([]);
    const { code, stdout, stderr } = await run(["import", place.path, "--json"], target.databaseUrl);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ loaded: 2, rejects: 1, withRejects: [{ file: part, rejects: 1 }] });
    expect(stderr).toBe(`${part}: 1 row was rejected: see ops.reject\n`);
    expect(await target.query("select from ops.reject")).toHaveLength(1);
    const again = await run(["import", place.path], target.databaseUrl);
    expect(again).toMatchObject({ code: 0, stderr: "" });
  });

  test("says of a body that does not fit only what is wrong with it", async () => {
    using place = temporaryFolder();
    await writeFile(path.join(place.path, "odd.json"), JSON.stringify({ ...byHand, body: { a: 1 } }));
    const { code, stderr } = await run(["import", place.path]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^bad_answer_file: .*odd\.json is not loaded: body: the answer has an unknown shape \(/);
    expect(stderr).not.toMatch(/raw\.answer|unknown_shape/);
  });

  test("loads what fits, names each file that does not, and ends with 1", async () => {
    using place = temporaryFolder();
    await using target = await openStage();
    await mkdir(path.join(place.path, "by", "hand"), { recursive: true });
    const file = byHand;
    await writeFile(path.join(place.path, "good.json"), JSON.stringify(file));
    await writeFile(path.join(place.path, "by", "hand", "odd.json"), JSON.stringify({ ...file, url: "x" }));
    await writeFile(path.join(place.path, "half.json"), JSON.stringify(file).slice(0, -1));
    const { code, stdout, stderr } = await run(["import", place.path], target.databaseUrl);
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: "1 answer loaded with 2 rows, 0 already known, 2 files refused.\n",
    });
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringContaining("odd.json is not loaded: it has a key that is not known: url"),
      expect.stringContaining("half.json is not loaded: it is not JSON, or is incomplete"),
    ]);
    expect(await target.query("select count(*)::int as rows from core.fact_keyword_rank")).toEqual([{ rows: 2 }]);
    const again = await run(["import", path.join(place.path, "good.json")], target.databaseUrl);
    expect(again).toMatchObject({ code: 0, stdout: "0 answers loaded with 0 rows, 1 already known.\n" });
  });
});
