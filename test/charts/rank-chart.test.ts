import { describe, expect, test } from "vitest";
import { rankChart } from "../../src/charts/rank-chart.ts";
import { addDays, day, type Day } from "../../src/core/day.ts";
import { all, ofClass, readPicture } from "../support/picture.ts";

const start = day("2026-03-01");

/** One letter a day: a number is a rank, `-` not ranked, `.` not requested. */
function ranks(text: string): ReadonlyMap<Day, number | null> {
  const days = text.split(" ").map((sign, index) => [addDays(start, index), sign] as const);
  return new Map(days.filter(([, sign]) => sign !== ".").map(([at, sign]) => [at, sign === "-" ? null : Number(sign)]));
}

function draw(series: Readonly<Record<string, string>>, words = { keyword: "notes", app: "Lumi" }) {
  const length = Math.max(...Object.values(series).map((text) => text.split(" ").length));
  const text = rankChart({
    ...words,
    place: "App Store, Japan",
    window: { start, end: addDays(start, length) },
    series: Object.entries(series).map(([device, given]) => ({ device, ranks: ranks(given) })),
  });
  return { text, svg: readPicture(text) };
}

/** The heights of the points of each line. */
function heights(svg: ReturnType<typeof readPicture>): readonly (readonly number[])[] {
  const drawn = ofClass(svg, "line").filter(({ attributes }) => attributes["d"]?.includes("L"));
  return drawn.map(({ attributes }) =>
    attributes["d"]!.slice(1)
      .split("L")
      .map((point) => Number(point.split(" ")[1])),
  );
}

describe("a keyword's rank over time", () => {
  test("rank 1 is on top, and a better rank above a worse one", () => {
    for (const ends of ["1 3 5 2", "1 10 100 40", "40 60 200 55"]) {
      const [line = []] = heights(draw({ IPHONE: ends }).svg);
      const given = ends.split(" ").map(Number);
      const byRank = [...line.keys()].sort((a, b) => given[a]! - given[b]!);
      expect([...line.keys()].sort((a, b) => line[a]! - line[b]!)).toEqual(byRank);
      expect(Math.min(...line)).toBeGreaterThanOrEqual(96);
      expect(Math.max(...line)).toBeLessThanOrEqual(342);
    }
  });

  test("the line is broken where the app is not ranked and where nothing was requested, and the two differ", () => {
    const { svg } = draw({ IPHONE: "3 4 - - 5 6 . . 7 7" });
    expect(heights(svg).map((line) => line.length)).toEqual([2, 2, 2]);
    const hollow = ofClass(svg, "open").length - 1;
    expect(hollow).toBe(2);
    const hatched = all(svg, "rect").filter(
      ({ attributes }) => attributes["fill"] === "url(#hatch)" && !attributes["class"],
    );
    expect(hatched).toHaveLength(1);
    const width = Number(hatched[0]?.attributes["width"]);
    expect(width).toBeCloseTo((2 / 10) * (838 - 92), 0);
  });

  test("a day between two gaps is a mark of its own, and a keyword that is never ranked is still a picture", () => {
    expect(ofClass(draw({ ALL: "- 9 -" }).svg, "ma").length).toBe(2);
    const { svg } = draw({ ALL: "- - -" });
    expect(heights(svg)).toEqual([]);
    expect(all(svg, "desc")[0]?.text).toContain("all devices: requested on 3 of 3 days, never ranked.");
    expect(() => draw({ ALL: "1" })).not.toThrow();
  });

  test("devices differ by dash and mark, and each is named at the end of its line", () => {
    const { svg, text } = draw({ IPAD: "5 5 6", IPHONE: "2 2 2" });
    expect(text).toContain("stroke-dasharray");
    expect(ofClass(svg, "ma")[0]?.name).toBe("circle");
    expect(ofClass(svg, "mb")[0]?.name).toBe("rect");
    expect(
      ofClass(svg, "note")
        .map((label) => label.text)
        .slice(0, 2),
    ).toEqual(["#2 iPhone", "#6 iPad"]);
  });

  test("any name of a keyword or an app stays text", () => {
    const keyword = `<script>alert("1")</script> & 'x' \u0001\ud800`;
    const { svg, text } = draw({ IPHONE: "1 2" }, { keyword, app: "]]> --> \u202eعربي 😀" });
    expect(all(svg, "script")).toEqual([]);
    expect(all(svg, "title")[0]?.text).toContain(`<script>alert("1")</script> & 'x' \ufffd\ufffd`);
    expect(text).not.toMatch(/href|url\(http|@import|<script/);
    const long = draw({ IPHONE: "1 2" }, { keyword: "長い語".repeat(60), app: "x".repeat(300) });
    expect(ofClass(long.svg, "title")[0]?.text).toMatch(/…\u2069”$/);
    expect(all(long.svg, "title")[0]?.text).toContain("長い語".repeat(60));
  });

  // DejaVu Sans is as wide as any: the part of their height that its letters are wide, in bold and not
  test.each([
    ["a", 0.68, 0.62],
    ["W", 1.11, 0.99],
    ["習", 1, 1],
  ])("a long name of %s is cut within the picture, and the text after it is not", (letter, bold, plain) => {
    const { svg } = draw({ IPHONE: "1 2" }, { keyword: letter.repeat(300), app: letter.repeat(300) });
    const [title = "", words = ""] = ["title", "sub"].map((name) => ofClass(svg, name)[0]?.text ?? "");
    const others = (text: string) => text.replaceAll(letter, "").length;
    const room = 960 - 28 - 28;
    expect((title.split(letter).length - 1) * 19 * bold + others(title) * 19 * 0.6).toBeLessThanOrEqual(room);
    expect((words.split(letter).length - 1) * 13 * plain + others(words) * 13 * 0.6).toBeLessThanOrEqual(room);
    expect(title).toMatch(/…\u2069”$/);
    expect(words).toMatch(/…\u2069 · App Store, Japan · 2026-03-01 to 2026-03-02$/);
  });

  test("a mark remains visible behind the one that covers it", () => {
    const { svg } = draw({ IPHONE: "7", IPAD: "7" });
    const circle = Number(ofClass(svg, "ma")[0]?.attributes["r"]);
    const square = Number(ofClass(svg, "mb")[0]?.attributes["width"]);
    expect(circle).toBeGreaterThan((square / 2) * Math.SQRT2);
  });

  test("the same ranks give the same bytes, with a title, a description and colours for a dark page", () => {
    const first = draw({ IPHONE: "1 2 3", IPAD: "4 - 6" });
    expect(draw({ IPHONE: "1 2 3", IPAD: "4 - 6" }).text).toBe(first.text);
    expect(first.svg.attributes).toMatchObject({ role: "img", "aria-labelledby": "title desc" });
    expect(first.text).toContain("prefers-color-scheme:dark");
    expect(first.text).not.toMatch(/NaN|undefined|Infinity/);
  });

  test("years of days and ranks of thousands fit", () => {
    const many = Array.from({ length: 3000 }, (_, index) =>
      index % 97 === 0 ? "-" : String(1 + ((index * 7919) % 4000)),
    ).join(" ");
    const { svg, text } = draw({ IPHONE: many });
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
    expect(ofClass(svg, "tick").length).toBeLessThan(40);
  });
});
