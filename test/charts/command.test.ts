import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRanks } from "../../src/charts/read-ranks.ts";
import { day } from "../../src/core/day.ts";
import { runCommand } from "../support/command.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { all, readPicture } from "../support/picture.ts";
import { folderForTests } from "../support/folder.ts";

let stage: Stage;
const folder = folderForTests();
let known: { track_id: string; country_code: string; keyword: string; devices: string };

beforeAll(async () => {
  stage = await openStage({ market: { apps: 1 } });
  await stage.sync();
  const [first] = await stage.query<typeof known>(`
    select track_id, country_code, keyword, string_agg(distinct device_code, ',') as devices from mart.keyword_rank_daily
    where keyword not like '-%' group by 1, 2, 3 order by count(keyword_rank) desc, 3 limit 1`);
  known = first!;
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

async function chart(...command: readonly string[]) {
  return runCommand(stage, ["chart", ...command], {
    variables: { API_TOKEN: "", API_BASE_URL: "", TZ: "Pacific/Apia" },
  });
}

function rank(overrides: Record<string, string> = {}) {
  const options = {
    app: known.track_id,
    country: known.country_code,
    keyword: known.keyword,
    out: path.join(folder, "rank.svg"),
    ...overrides,
  };
  return chart("rank", ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]));
}

test("draws ranks of every device or of one, into a folder that it makes, and the same bytes twice", async () => {
  const out = path.join(folder, "new", "rank.svg");
  expect(await rank({ out })).toMatchObject({ code: 0, stdout: "", stderr: `${out} is written.\n` });
  const first = await readFile(out, "utf8");
  expect(all(readPicture(first), "desc")[0]?.text).toContain("iPhone: requested on 4 of 4 days");
  await rank({ out, country: known.country_code.toLowerCase() });
  expect(await readFile(out, "utf8")).toBe(first);
  expect(await rank({ out, device: "ipad" })).toMatchObject({ code: 0 });
  expect(all(readPicture(await readFile(out, "utf8")), "desc")[0]?.text).not.toContain("iPhone");
  expect(await readdir(path.dirname(out))).toEqual(["rank.svg"]);
});

test("draws days before the first that was requested as not requested, and cuts what reaches too far", async () => {
  expect(await rank({ from: "2026-08-10", to: "2090-01-01" })).toMatchObject({ code: 0 });
  const desc = all(readPicture(await readFile(path.join(folder, "rank.svg"), "utf8")), "desc")[0]?.text;
  expect(desc).toContain("2026-08-10 to 2026-09-19");
});

test("draws the coverage of a dataset, days that were never requested included", async () => {
  const out = path.join(folder, "coverage.svg");
  const done = await chart(
    "coverage",
    "--dataset",
    "keyword_rank",
    "--as-of",
    today,
    "--from",
    "2026-08-01",
    "--out",
    out,
  );
  expect(done).toMatchObject({ code: 0 });
  const text = await readFile(out, "utf8");
  expect(all(readPicture(text), "desc")[0]?.text).toMatch(/^Calendar of 2026-08-01 to .* 15 missing, never requested/);
  expect(
    await chart(
      "coverage",
      "--dataset",
      "keyword_rank",
      "--as-of",
      today,
      "--from",
      "2026-08-01",
      "--app",
      known.track_id,
      "--country",
      known.country_code,
      "--out",
      out,
    ),
  ).toMatchObject({ code: 0 });
  expect(await readFile(out, "utf8")).toContain(`${known.track_id}, ${known.country_code}`);
});

test.each([
  [{ app: "424242" }, "there is no app 424242"],
  [{ keyword: "no such keyword at all" }, 'for "no such keyword at all" in'],
  [{ device: "WATCH" }, "there is no rank for the device WATCH; choose one of"],
  [
    { within: { start: day("2020-01-01"), end: day("2020-02-02") } },
    "no day from 2020-01-01 to 2020-02-01 was requested; the loaded days are 2026-08-1",
  ],
  [{ country: "XX" }, "in XX is loaded"],
])("says of %j what the warehouse does not know", async (overrides, problem) => {
  await using app = await stage.open();
  const question = { app: known.track_id, country: known.country_code, keyword: known.keyword, within: {} };
  await expect(readRanks(app.warehouse.db, { ...question, ...overrides })).rejects.toThrow(problem);
});

test("names keywords of the app and country that are loaded if the requested one is not", async () => {
  const { stderr } = await rank({ keyword: "no such keyword at all" });
  const [, named = ""] = /its newest day has (.+) and \d+ more: mart\.keyword_rank_daily has all/.exec(stderr) ?? [];
  const where = "track_id = $1 and country_code = $2";
  const loaded = await stage.query<{ keyword: string }>(
    `select distinct keyword from mart.keyword_rank_daily where ${where}`,
    [known.track_id, known.country_code],
  );
  const shown = loaded.filter(({ keyword }) => named.includes(keyword));
  expect(shown.length).toBeGreaterThanOrEqual(5);
  expect((await rank({ country: "FR" })).stderr).toContain("no ranks are loaded for this app and country");
});

test("says in one line what is wrong, ends with 2 and writes nothing", async () => {
  const out = path.join(folder, "none.svg");
  const { code, stderr, stdout } = await rank({ out, app: "424242" });
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^nothing_to_draw: [^\n]*\n$/),
  });
  await expect(stat(out)).rejects.toThrow("ENOENT");
  const proc = await rank({ out: "/proc/storehouse/rank.svg" });
  expect(proc).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unwritable_file: /proc/storehouse cannot be written"),
  });
});

test("refuses a name that is not an SVG file and a dataset that there is not", async () => {
  expect(await rank({ out: path.join(folder, "rank.png") })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("ends in .svg"),
  });
  const unknown = await chart("coverage", "--dataset", "keyword_ranks", "--out", path.join(folder, "c.svg"));
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown_dataset") });
});

test("means a tracked keyword without ranks as it is written", async () => {
  await using app = await stage.open();
  const { track_id: id, country_code: country } = known;
  const [unread] = await stage.query<{ keyword: string }>(
    `delete from core.fact_keyword_rank where keyword_key = (select min(keyword_key) from core.dim_keyword where keyword <> $1 and keyword in
       (select keyword from mart.keyword_rank_daily where track_id = $2 and country_code = $3))
     returning (select keyword from core.dim_keyword as k where k.keyword_key = fact_keyword_rank.keyword_key) as keyword`,
    [known.keyword, id, country],
  );
  const question = { app: id, country, keyword: unread?.keyword ?? "", within: {} };
  await expect(readRanks(app.warehouse.db, question)).rejects.toThrow(/ is loaded; `storehouse gaps/);
});
