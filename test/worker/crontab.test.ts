import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { jobs } from "../../jobs/all.ts";
import { projectRoot } from "../../src/config/config.ts";
import { itemOfAccount, nextRuns, readCrontab, scheduledBy, runIntervals } from "../../src/worker/crontab.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { folderForTests } from "../support/folder.ts";

const folder = folderForTests();

function read(text: string) {
  const file = path.join(folder, "crontab");
  writeFileSync(file, text);
  return readCrontab(file);
}

const times = (text: string, after: string, count = 3) =>
  nextRuns({ item: read(`${text} plan_due`)[0]!.item }, Date.parse(after), count).map((at) =>
    new Date(at).toISOString(),
  );

describe("the crontab that comes with the project", () => {
  const lines = readCrontab(path.join(projectRoot, "jobs", "crontab"));

  test("has a nightly, an hourly, a weekly and a monthly line, each with a job key of its own", () => {
    expect(lines.map(({ id }) => id).slice(0, 4)).toEqual(["nightly", "hourly", "weekly", "monthly"]);
    const keys = lines.map(({ item }) => item.options.jobKey);
    expect([keys.includes(undefined), new Set(keys).size]).toEqual([false, lines.length]);
  });

  test("names known tasks, and no dataset that is off by default", () => {
    expect(lines.filter(({ task }) => !(task in jobs))).toEqual([]);
    expect(lines.flatMap(({ datasets }) => datasets ?? []).filter((name) => !datasetNamed(name).on)).toEqual([]);
  });
});

test("what plans runs for each account by jobs of its own, everything else once", () => {
  const [nightly, retention] = read("0 3 * * * plan_due ?id=nightly&jobKey=night\n0 5 * * * retention").map(
    ({ item }) => item,
  );
  const named = itemOfAccount(nightly!, "acme");
  expect([named.task, named.identifier, named.options.jobKey]).toEqual(["plan_due:acme", "nightly:acme", "night:acme"]);
  expect(itemOfAccount(nightly!, "")).toBe(nightly);
  expect(itemOfAccount(retention!, "acme")).toBe(retention);
});

describe("an invalid line is reported with file and line", () => {
  test.each([
    ["names of days", "0 4 * * MON plan_due", /line 2: must be five numbers or patterns/],
    ["a time that no clock shows", "0 25 * * * plan_due", /line 2: .*25.*0-23;/],
    ["too few times", "0 4 * * plan_due", /line 2: must be five numbers/],
    ["an unknown task", "0 4 * * * plan_dew", /line 2: unknown task plan_dew, did you mean plan_due\?/],
    ["a name that all objects have", "0 4 * * * constructor", /line 2: unknown task constructor/],
    ["an unknown option", "0 4 * * * plan_due ?jobkey=a", /line 2: .*unsupported key 'jobkey'/],
    ["a payload that is no JSON", "0 4 * * * plan_due {datasets:}", /line 2: .*JSON5/],
    [
      "a payload that is not complete",
      '0 4 * * * plan_due {"datasets":[]',
      /line 2: the payload .* last } is missing;/,
    ],
    ["a name that no task has", "0 4 * * * plan due", /line 2: after the five times there must be a task, .* any;/],
    [
      "a payload of another shape",
      '0 4 * * * plan_due {"datasets":"keyword_rank"}',
      /line 2: the payload of plan_due.*datasets/,
    ],
    [
      "an unknown key of the payload",
      '0 4 * * * plan_due {"dataset":["keyword_rank"]}',
      /line 2: the payload of plan_due/,
    ],
    [
      "an unknown dataset",
      '0 4 * * * plan_due {"datasets":["keyword_ranks"]}',
      /line 2: unknown dataset keyword_ranks, did you mean keyword_rank\?/,
    ],
    ["the same id twice", "0 4 * * * plan_due\n0 5 * * * plan_due", /line 3: line 2 already has the id plan_due/],
    [
      "the same job key twice",
      "0 4 * * * plan_due ?id=a&jobKey=night\n0 4 * * * retention ?id=b&jobKey=night",
      /line 3: line 2 already has the jobKey night/,
    ],
  ])("%s", (_, line, problem) => {
    expect(() => read(`# nightly\r\n${line}\n`)).toThrow(problem);
    expect(() => read(`# nightly\r\n${line}\n`)).toThrow(/^bad_crontab: .*crontab line/);
  });

  test("and a file that is not there is named with the variable", () => {
    expect(() => readCrontab(path.join(folder, "none"))).toThrow(/STOREHOUSE_CRONTAB names a file that does not exist/);
  });
});

describe("the next runs of a line", () => {
  test("are listed in UTC, after the minute that it is", () => {
    expect(times("0 4 * * *", "2026-08-20T04:00:00Z", 2)).toEqual([
      "2026-08-21T04:00:00.000Z",
      "2026-08-22T04:00:00.000Z",
    ]);
    expect(times("0 4 * * *", "2026-08-20T03:59:59.999Z", 1)).toEqual(["2026-08-20T04:00:00.000Z"]);
  });

  test("do not follow the machine's summer time", () => {
    expect(times("30 2 * * *", "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T02:30:00.000Z",
      "2026-03-30T02:30:00.000Z",
    ]);
  });

  test("of a day of the month or of the week are either of them, as cron has it", () => {
    expect(times("0 0 1 * 1", "2026-08-28T00:00:00Z", 3)).toEqual([
      "2026-08-31T00:00:00.000Z",
      "2026-09-01T00:00:00.000Z",
      "2026-09-07T00:00:00.000Z",
    ]);
  });

  test("of the 29th of February are found, and of the 30th there are none", () => {
    expect(times("0 0 29 2 *", "2026-08-20T00:00:00Z", 1)).toEqual(["2028-02-29T00:00:00.000Z"]);
    expect(times("0 0 30 2 *", "2026-08-20T00:00:00Z", 1)).toEqual([]);
  });
});

describe("what a worker plans at its start", () => {
  const settings = Settings.parse({ datasets: { review: { on: false } } });
  const named = (...lines: readonly (readonly string[] | null)[]) =>
    scheduledBy(
      lines.map((names) => ({ datasets: names })),
      settings,
    );

  test("is what the lines of its crontab name, each dataset once", () => {
    expect(named(["keyword_rank"], null, ["top_chart", "keyword_rank"])).toEqual(["keyword_rank", "top_chart"]);
  });

  test("is nothing where no line plans, or the configuration switches off what one names", () => {
    expect(named()).toEqual([]);
    expect(named(null, ["review"])).toEqual([]);
  });

  test("is everything that is on where a line names nothing, and what another line names beside it", () => {
    expect(named([], ["top_chart"])).toEqual(expect.arrayContaining(["keyword_rank", "top_chart", "tracked_app"]));
    expect(named([])).not.toContain("top_chart");
    expect(named([])).not.toContain("review");
  });
});

test("the distance of two runs of a dataset is that of the line that runs most often, and the longest of a year for a month", () => {
  const day = 86_400_000;
  const lines = read(
    [
      "0 4 * * * plan_due ?id=a",
      '0 6 * * 1 plan_due ?id=b {"datasets":["app_history"]}',
      '0 7 2 * * plan_due ?id=c {"datasets":["monthly_estimate","app_history"]}',
      "0 5 * * * retention ?id=d",
    ].join("\n"),
  );
  expect([...runIntervals(lines, Date.UTC(2026, 7, 20))]).toEqual([
    ["*", day],
    ["app_history", 7 * day],
    ["monthly_estimate", 31 * day],
  ]);
});
