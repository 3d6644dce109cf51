import { expect, test } from "vitest";
import { coverageChart } from "../../src/charts/coverage-chart.ts";
import { dayStyles } from "../../src/charts/coverage-chart.ts";
import { addDays, day, type Day } from "../../src/core/day.ts";
import { cellStates, type CellCounts } from "../../src/plan/cell-states.ts";
import { all, ofClass, readPicture } from "../support/picture.ts";

function draw(from: string, counts: readonly CellCounts[]) {
  const start = day(from);
  const days = new Map<Day, CellCounts>(counts.map((cells, index) => [addDays(start, index), cells]));
  const text = coverageChart({
    dataset: "keyword_rank",
    about: "all apps & <more>",
    window: { start, end: addDays(start, counts.length) },
    days,
  });
  return { text, svg: readPicture(text) };
}

/** The squares of days with their place, without those of the legend. */
function squares(svg: ReturnType<typeof readPicture>) {
  const days = all(svg, "g").filter(({ children }) => children[0]?.name === "title");
  return days.map(({ children }) => {
    const { x, y, class: look } = children[1]!.attributes;
    return { title: children[0]!.text, x: Number(x), y: Number(y), look: look!.split(" ")[1] };
  });
}

test("a week is a column from Monday to Sunday", () => {
  // 2026-03-02 is a Monday
  const found = squares(
    draw(
      "2026-03-02",
      Array.from({ length: 15 }, () => ({ loaded: 1 })),
    ).svg,
  );
  expect(new Set(found.slice(0, 7).map(({ x }) => x)).size).toBe(1);
  expect(found.slice(0, 7).map(({ y }) => y)).toEqual(
    found
      .slice(0, 7)
      .map(({ y }) => y)
      .toSorted((a, b) => a - b),
  );
  expect(found[7]!.x).toBeGreaterThan(found[0]!.x);
  expect(found[7]!.y).toBe(found[0]!.y);
  expect(squares(draw("2026-03-01", [{ loaded: 1 }]).svg)[0]!.y).toBeGreaterThan(found[5]!.y);
});

test("a day has the style of the worst of its cells, and reports them all", () => {
  const [day1] = squares(draw("2026-03-02", [{ loaded: 98, failed: 2 }]).svg);
  expect(day1).toMatchObject({ look: "fx", title: "2026-03-02: 98 loaded, 2 failed" });
  expect(squares(draw("2026-03-02", [{ loaded: 1, missing: 1 }]).svg)[0]?.look).toBe("fm");
  expect(squares(draw("2026-03-02", [{ empty: 1, loaded: 1 }]).svg)[0]?.look).toBe("fl");
});

test("every state has a style, no two styles have one colour, and those of one lightness differ by their sign", () => {
  expect(dayStyles.flatMap(({ states }) => states).sort()).toEqual([...cellStates].sort());
  expect(new Set(dayStyles.map(({ fill }) => fill)).size).toBe(dayStyles.length);
  const plain = dayStyles.filter(({ sign }) => sign === "").map(({ fill }) => lightness(fill));
  expect(Math.abs(plain[0]! - plain[1]!)).toBeGreaterThan(0.4);
  const signs = dayStyles.map(({ sign }) => sign).filter((sign) => sign !== "");
  expect(new Set(signs).size).toBe(signs.length);
});

test("the legend names what occurs and nothing else; days of which nothing is known have no square", () => {
  const { svg } = draw("2026-03-02", [{ loaded: 1 }, {}, { deferred: 1 }]);
  expect(ofClass(svg, "note").map(({ text }) => text)).toEqual(["loaded", "waits for credits"]);
  expect(squares(svg)).toHaveLength(2);
  expect(all(svg, "desc")[0]?.text).toContain("all apps & <more>");
});

test("a calendar of many years continues below, on any first day, and is the same when drawn twice", () => {
  const many = Array.from({ length: 4000 }, (_, index) => ({ [cellStates[index % cellStates.length]!]: 1 }));
  const { text, svg } = draw("2010-07-15", many);
  expect(draw("2010-07-15", many).text).toBe(text);
  expect(text).not.toMatch(/NaN|undefined|Infinity/);
  const [width, height] = [Number(svg.attributes["width"]), Number(svg.attributes["height"])];
  for (const { x, y } of squares(svg)) {
    expect(x + 15).toBeLessThan(width);
    expect(y + 15).toBeLessThan(height);
  }
});

function lightness(fill: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(fill.slice(at, at + 2), 16) / 255);
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
