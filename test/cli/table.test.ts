import { expect, test } from "vitest";
import { durationText } from "../../src/core/words.ts";
import { factList } from "../../src/cli/fact-list.ts";
import { optional, table } from "../../src/cli/table.ts";
import { noBreak, textWidth, wrapText } from "../../src/core/text-width.ts";

test("a wide character takes two columns, so that the next column starts at one place", () => {
  expect(
    table(
      ["keyword", "rank"],
      [
        ["タスク管理", 1],
        ["habit", 23],
      ],
    ),
  ).toBe(["keyword     rank", "----------  ----", "タスク管理     1", "habit         23"].join("\n"));
});

test("an emoji made of several code points takes two columns", () => {
  expect(table(["a", "b"], [["👨‍👩‍👧", "x"]])).toBe(["a   b", "--  -", "👨‍👩‍👧  x"].join("\n"));
});

test("a table that is too wide wraps its widest cells between words, under their headings", () => {
  const rows = [["keyword_rank", 12, "the API answered 500 and is asked again"]];
  expect(table(["dataset", "slices", "why"], rows, 44).split("\n")).toEqual([
    "dataset       slices  why",
    "------------  ------  ----------------------",
    "keyword_rank      12  the API answered 500",
    "                      and is asked again",
  ]);
});

test("wide characters are wrapped between any two, and never over the edge", () => {
  const lines = table(["app", "rank"], [["習慣トラッカーとやることリスト", 7]], 20).split("\n");
  expect(lines.slice(2)).toEqual(["習慣トラッカー     7", "とやることリス", "ト"]);
  expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(20);
});

test("a day stays beside its time", () => {
  const lines = table(["at", "what"], [["2026-11-22 10:05", "one two three"]], 24).split("\n");
  expect(lines[2]).toBe("2026-11-22 10:05  one");
});

test("a time that is wider than its column is broken between day and time", () => {
  const lines = (time: string) =>
    table(["slice", "failed"], [[1, time]], 20)
      .split("\n")
      .slice(2);
  expect(lines("2026-11-29 06:28")).toEqual(["    1  2026-11-29", "       06:28"]);
  expect(lines("2026-11-29 06:28:05")).toEqual(["    1  2026-11-29", "       06:28:05"]);
  expect(lines("2026-11-29 06:28 (05:28 UTC)")).toEqual(["    1  2026-11-29", "       06:28 (05:28", "       UTC)"]);
});

test("columns that can be spared go before a name is broken, and a last line names them", () => {
  const cells = [["keyword_impression_share", 1_000, "loaded"]];
  expect(table(["dataset", optional("bytes"), "state"], cells, 40).split("\n")).toEqual([
    "dataset                   bytes  state",
    "------------------------  -----  ------",
    "keyword_impression_share  1,000  loaded",
  ]);
  expect(table(["dataset", optional("bytes"), "state"], cells, 36).split("\n")).toEqual([
    "dataset                   state",
    "------------------------  ------",
    "keyword_impression_share  loaded",
    "A wider terminal also shows: bytes.",
  ]);
});

test("a name is broken behind its marks, and a number never", () => {
  expect(
    table(["dataset", "rows"], [["keyword_impression_share", 123_456]], 30)
      .split("\n")
      .slice(2),
  ).toEqual(["keyword_impression_    123,456", "share"]);
});

test("a duration that is wider than its column is broken between its words", () => {
  expect(wrapText(durationText(20.5 * 3_600_000), 10, "marks")).toEqual([`20${noBreak}h${noBreak}30`, "min"]);
});

test("fits 80 columns with any cells", () => {
  const words = [
    "keyword_impression_share",
    "ヘルスケア／フィットネス",
    "x".repeat(200),
    "a, b and c",
    "2026-11-22 10:05",
    "👨‍👩‍👧 family",
  ];
  const rows = words.map((_, at) => [...words.slice(at), ...words.slice(0, at)]);
  for (const columns of [40, 80, 120])
    expect(Math.max(...table(words, rows, columns).split("\n").map(textWidth))).toBeLessThanOrEqual(columns);
});

test("a long fact goes on under its beginning", () => {
  expect(
    factList(
      [
        ["run", "12"],
        ["error", "the API answered 500"],
        ["due", null],
      ],
      20,
    ),
  ).toBe(["run    12", "error  the API", "       answered 500"].join("\n"));
});
