import { describe, expect, test } from "vitest";
import { drawSvg, drawFile } from "../../src/charts/draw.ts";
import { rankChart, type RankChart } from "../../src/charts/rank-chart.ts";
import { widthOf } from "../../src/charts/words.ts";
import { addDays, day, type Day } from "../../src/core/day.ts";
import { all, ofClass, readPicture, type Element } from "../support/picture.ts";

const start = day("2026-03-01");

/** One letter a day: a number is a rank, `-` not ranked, `.` no answer. */
function ranks(text: string): ReadonlyMap<Day, number | null> {
  const days = text.split(" ").map((sign, index) => [addDays(start, index), sign] as const);
  return new Map(days.filter(([, sign]) => sign !== ".").map(([at, sign]) => [at, sign === "-" ? null : Number(sign)]));
}

function chartOf(series: Readonly<Record<string, string>>, names = { keyword: "notes", app: "Lumi" }): RankChart {
  const length = Math.max(...Object.values(series).map((text) => text.split(" ").length));
  return {
    title: { before: "Rank for “", name: names.keyword, after: "”" },
    subtitle: { before: "", name: names.app, after: " · App Store, Japan" },
    axis: "rank in search results",
    window: { start, end: addDays(start, length) },
    series: Object.entries(series).map(([name, given]) => ({ name, ranks: ranks(given) })),
  };
}

async function draw(...given: Parameters<typeof chartOf>) {
  const text = await drawFile(rankChart(chartOf(...given)));
  return { text, svg: readPicture(text) };
}

/** The heights of the points of each stretch of a line, in the order of days. */
function heights(svg: Element): readonly (readonly number[])[] {
  const paths = ofClass(svg, "line").flatMap((line) => all(line, "path"));
  return paths.flatMap(({ attributes }) =>
    (attributes["d"] ?? "")
      .split("M")
      .filter((part) => part !== "")
      .map((part) =>
        part
          .replace("Z", "")
          .split("L")
          .map((point) => Number(point.split(",")[1])),
      ),
  );
}

function marks(svg: Element, name: string): readonly Element[] {
  return ofClass(svg, name).flatMap((group) => [...all(group, "path"), ...all(group, "circle")]);
}

function words(svg: Element, name: string): readonly string[] {
  return ofClass(svg, name)
    .flatMap((group) => all(group, "text"))
    .map(({ text }) => text.replaceAll(/[\u2068\u2069]/g, ""));
}

/** Where a text stands: it and its group are moved. */
function placeOf(...moved: readonly Element[]): { readonly x: number; readonly y: number } {
  const moves = moved.map(({ attributes }) => /translate\(([-\d.]+),([-\d.]+)\)/.exec(attributes["transform"] ?? ""));
  const sum = (at: number) => moves.reduce((whole, move) => whole + Number(move?.[at] ?? 0), 0);
  return { x: sum(1), y: sum(2) };
}

describe("ranks over time", () => {
  test("rank 1 is on top, and a better rank above a worse one", async () => {
    for (const ends of ["1 3 5 2", "1 10 100 40", "40 60 200 55"]) {
      const [line = []] = heights((await draw({ iPhone: ends })).svg);
      const given = ends.split(" ").map(Number);
      const byRank = [...line.keys()].sort((a, b) => given[a]! - given[b]!);
      expect(line).toHaveLength(4);
      expect([...line.keys()].sort((a, b) => line[a]! - line[b]!)).toEqual(byRank);
    }
  });

  test("the line is broken where the app is not ranked and where nothing was requested, and the two differ", async () => {
    const { svg } = await draw({ iPhone: "3 4 - - 5 6 . . 7 7" });
    expect(heights(svg).map((line) => line.length)).toEqual([2, 2, 2]);
    expect(marks(svg, "unranked")).toHaveLength(2);
    expect(ofClass(svg, "not-requested").flatMap((group) => all(group, "rect"))).toHaveLength(1);
  });

  test("days without an answer are hatched up to the last day of the window", async () => {
    const { svg } = await draw({ iPhone: "3 4 . .", iPad: "3 4 5 ." });
    const [area] = ofClass(svg, "not-requested").flatMap((group) => all(group, "rect"));
    const { x, width } = area!.attributes;
    const [from, to] = [Number(x), Number(x) + Number(width)];
    const right = Number(svg.attributes["width"]) - 2 * 28 - 132;
    expect(to).toBeCloseTo(right, 0);
    expect(to - from).toBeCloseTo((right - 68) / 4, 0);
  });

  test("a day is named below its mark, and of few days each one, without hours", async () => {
    const { svg } = await draw({ iPhone: "3 4 5" });
    const named = ofClass(svg, "day-axis").flatMap((group) => all(group, "text").map((text) => placeOf(group, text).x));
    const marked = marks(svg, "ranked").map((mark) => Number(mark.attributes["cx"]));
    expect(named).toHaveLength(3);
    named.forEach((x, index) => expect(x).toBeCloseTo(marked[index]!, 0));
  });

  test.each([4, 8, 10, 11])("of %i days none is named by its hours at the width of a page", async (days) => {
    const chart = chartOf({ iPhone: Array.from({ length: days }, () => "3").join(" ") });
    expect(await drawFile(rankChart({ ...chart, width: 1160 }))).not.toMatch(/>\d+ [AP]M</);
  });

  test("a day between two gaps is a mark of its own, and a keyword that is never ranked is still a picture", async () => {
    const alone = await draw({ "all devices": "- 9 -" });
    expect(marks(alone.svg, "ranked")).toHaveLength(1);
    const { svg } = await draw({ "all devices": "- - -" });
    expect(heights(svg)).toEqual([]);
    expect(all(svg, "desc")[0]?.text).toContain("all devices: requested on 3 of 3 days, never ranked.");
    await draw({ "all devices": "1" });
  });

  test("lines differ by dash and mark, and the newest rank stands at the end of each that is ranked there", async () => {
    const { svg } = await draw({ iPad: "5 5 6", iPhone: "2 2 2", "all devices": "3 3 -", mac: "4 4 ." });
    const dashes = ofClass(svg, "line").map((group) => group.attributes["stroke-dasharray"]);
    expect(new Set(dashes).size).toBe(4);
    expect(words(svg, "end")).toEqual(["#2 iPhone", "#4 mac", "#6 iPad"]);
  });

  test("a name at the end of a line is shortened to the room beside the frame, also in wide letters and with a rank of three digits", async () => {
    const names = ["もふタスク - やることリスト", "Тихий Лес: медитация", "WWWWWWWWWW", "habit garden for everybody"];
    const { svg } = await draw(Object.fromEntries(names.map((name) => [name, "211 211 211"])));
    const labels = words(svg, "end");
    expect(labels).toHaveLength(4);
    // letters of a font may be a fifth wider than reckoned; 122 pixels are right of the frame
    for (const label of labels) expect([label, widthOf(label) * 12 * 1.2 <= 122]).toEqual([label, true]);
  });

  test("names at the ends of lines stand apart, also of lines that end together at the bottom, and none below the days without rank", async () => {
    const names = ["one", "two", "three", "four", "five", "six"];
    const { svg } = await draw(Object.fromEntries(names.map((name) => [name, "150 200"])));
    const places = ofClass(svg, "end").flatMap((group) => all(group, "text").map((text) => placeOf(group, text)));
    expect(places).toHaveLength(6);
    const ys = places.map(({ y }) => y).sort((a, b) => a - b);
    expect(ys.every((y, index) => index === 0 || y - ys[index - 1]! >= 15)).toBe(true);
    expect(ys.at(-1)).toBeLessThan(Math.max(...heights(svg).flat()) + 34);
  });

  test("names of what happened on days that are near each other do not lie on each other", async () => {
    const chart = chartOf({ iPhone: Array.from({ length: 60 }, () => "3").join(" ") });
    const happenings = Array.from({ length: 30 }, (_, index) => ({
      day: addDays(start, 2 * index),
      name: `12.${index}.0`,
    }));
    const svg = readPicture(await drawFile(rankChart({ ...chart, happenings })));
    const places = ofClass(svg, "happening").flatMap((group) => all(group, "text").map((text) => placeOf(group, text)));
    expect(places.length).toBeGreaterThan(10);
    const xs = places.map(({ x }) => x).sort((a, b) => a - b);
    // six signs of about six pixels
    expect(xs.every((x, index) => index === 0 || x - xs[index - 1]! > 34)).toBe(true);
    expect(all(svg, "desc")[0]?.text).toContain("12.29.0 on 2026-04-28");
  });

  test("the legend names what is drawn and nothing else", async () => {
    expect(words((await draw({ iPhone: "1 2 3" })).svg, "legend")).toEqual(["iPhone"]);
    const drawnThings = ["iPhone", "iPad", "requested, not ranked", "no answer"];
    expect(words((await draw({ iPhone: "1 . 3", iPad: "- . 2" })).svg, "legend")).toEqual(drawnThings);
    const text = await drawSvg(
      rankChart({ ...chartOf({ iPhone: "1 2" }), happenings: [{ day: start, name: "2.0" }] }),
      "a",
    );
    expect(words(readPicture(text), "legend")).toEqual(["iPhone", "release"]);
    expect(all(readPicture(text), "desc")[0]?.text).toContain("Releases: 2.0 on 2026-03-01.");
  });

  test("any name of a keyword or an app stays text", async () => {
    const keyword = `<script>alert("1")</script> & 'x' \u0001\ud800`;
    const { svg, text } = await draw({ "<b>iPhone</b>": "1 2" }, { keyword, app: "]]> --> \u202eعربي 😀" });
    expect(all(svg, "script")).toEqual([]);
    expect(all(svg, "title")[0]?.text).toContain(`<script>alert("1")</script> & 'x' \ufffd\ufffd`);
    expect(text).not.toMatch(/href|url\(http|@import|<script|<b>/);
    const long = await draw({ iPhone: "1 2" }, { keyword: "長い語".repeat(60), app: "x".repeat(300) });
    expect(all(long.svg, "text").map((one) => one.text)).toContainEqual(expect.stringMatching(/…\u2069”$/));
    expect(all(long.svg, "title")[0]?.text).toContain("長い語".repeat(60));
  });

  // DejaVu Sans is as wide as any: the part of their height that its letters are wide, in bold and not
  test.each([
    ["a", 0.68, 0.62],
    ["W", 1.11, 0.99],
    ["習", 1, 1],
  ])("a long name of %s is cut within the picture, and the text after it is not", async (letter, bold, plain) => {
    const { svg } = await draw({ iPhone: "1 2" }, { keyword: letter.repeat(300), app: letter.repeat(300) });
    const [title = "", subtitle = ""] = svg.children.filter(({ name }) => name === "text").map(({ text }) => text);
    const others = (text: string) => text.replaceAll(letter, "").length;
    const room = 960 - 28 - 28;
    expect((title.split(letter).length - 1) * 19 * bold + others(title) * 19 * 0.6).toBeLessThanOrEqual(room);
    expect((subtitle.split(letter).length - 1) * 13 * plain + others(subtitle) * 13 * 0.6).toBeLessThanOrEqual(room);
    expect(title).toMatch(/…\u2069”$/);
    expect(subtitle).toMatch(/…\u2069 · App Store, Japan · 2026-03-01 to 2026-03-02$/);
  });

  test("the same ranks give the same bytes, with a title, a description and colours for a dark page", async () => {
    const first = await draw({ iPhone: "1 2 3", iPad: "4 - 6" });
    expect((await draw({ iPhone: "1 2 3", iPad: "4 - 6" })).text).toBe(first.text);
    expect(first.svg.attributes).toMatchObject({ role: "img", "aria-labelledby": "drawing-title drawing-desc" });
    expect(first.text).toContain("prefers-color-scheme:dark");
    expect(first.text).not.toMatch(/NaN|undefined|Infinity/);
  });

  test("a drawing for a page has no style of its own, and ids that are its own", async () => {
    const text = await drawSvg(rankChart(chartOf({ iPhone: "1 . 3" })), "wide");
    expect(text).not.toMatch(/<style|\sstyle=|aria-label=/);
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(2);
    for (const id of ids) expect(id).toMatch(/^wide-/);
    expect(text).toContain('fill="url(#wide-hatch)"');
  });

  test("years of days and ranks of thousands fit", async () => {
    const many = Array.from({ length: 3000 }, (_, index) =>
      index % 97 === 0 ? "-" : String(1 + ((index * 7919) % 4000)),
    ).join(" ");
    const { text } = await draw({ iPhone: many });
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
  });
});
