import { expect, test } from "vitest";
import { coverageChart } from "../../src/charts/coverage-chart.ts";
import { drawFile } from "../../src/charts/draw.ts";
import { addDays, day, type Day } from "../../src/core/day.ts";
import { cellStates, stateWords, worstFirst, type CellCounts } from "../../src/plan/cell-states.ts";
import { all, ofClass, readPicture, type Element } from "../support/picture.ts";

async function draw(from: string, counts: readonly CellCounts[]) {
  const start = day(from);
  const days = new Map<Day, CellCounts>(counts.map((cells, index) => [addDays(start, index), cells]));
  const text = await drawFile(
    coverageChart({
      dataset: "keyword_rank",
      about: "all apps & <more>",
      window: { start, end: addDays(start, counts.length) },
      days,
    }),
  );
  return { text, svg: readPicture(text) };
}

/** The squares of days with their place, without those of the legend. */
function squares(svg: Element) {
  const drawn = ofClass(svg, "days").flatMap((group) => all(group, "rect").concat(all(group, "path")));
  return drawn.map(({ attributes, children }) => ({
    title: children[0]?.text,
    x: Number(attributes["x"]),
    y: Number(attributes["y"]),
    width: Number(attributes["width"]),
    fill: attributes["fill"],
  }));
}

const texts = (svg: Element, name: string) =>
  ofClass(svg, name)
    .flatMap((group) => all(group, "text"))
    .map(({ text }) => text.replaceAll(/[\u2068\u2069]/g, ""));

const loaded = (days: number) => Array.from({ length: days }, () => ({ loaded: 1 }));

test("a week is a row from Monday to Sunday", async () => {
  // 2026-03-02 is a Monday
  const found = squares((await draw("2026-03-02", loaded(15))).svg);
  expect(new Set(found.slice(0, 7).map(({ y }) => y)).size).toBe(1);
  expect(found.slice(0, 7).map(({ x }) => x)).toEqual(
    found
      .slice(0, 7)
      .map(({ x }) => x)
      .toSorted((a, b) => a - b),
  );
  expect(found[7]!.y).toBeGreaterThan(found[0]!.y);
  expect(found[7]!.x).toBe(found[0]!.x);
});

test("each month has its name, also one of which only the last day is there, and some months fill the width", async () => {
  const { svg } = await draw("2026-08-31", loaded(1 + 30 + 31));
  expect(texts(svg, "month")).toEqual(["Aug 2026", "Sep 2026", "Oct 2026"]);
  const right = Math.max(...squares(svg).map(({ x, width }) => x + width));
  expect(right).toBeGreaterThan(0.95 * (Number(svg.attributes["width"]) - 2 * 28));
});

test("a day has the look of the worst of its cells, and reports them all", async () => {
  const [mixed, failed, lost, empty] = squares(
    (await draw("2026-03-02", [{ loaded: 98, failed: 2 }, { failed: 1 }, { lost: 1, missing: 1 }, { empty: 1 }])).svg,
  );
  expect(mixed).toMatchObject({ fill: failed?.fill, title: "2026-03-02: 98 loaded, 2 failed" });
  expect(new Set([failed, lost, empty].map((one) => one?.fill)).size).toBe(3);
});

test("the legend names what occurs and nothing else; a day of which nothing is known is blank and called so", async () => {
  const { svg } = await draw("2026-03-02", [{ loaded: 1 }, {}, { deferred: 1 }]);
  expect(texts(svg, "legend")).toEqual(["loaded", "waiting for credits, a budget or the API"]);
  expect(squares(svg)).toHaveLength(2);
  expect(ofClass(svg, "none").flatMap((group) => all(group, "rect").concat(all(group, "path")))).toHaveLength(1);
  expect(all(svg, "desc")[0]?.text).toContain("1 not requested");
  expect(all(svg, "desc")[0]?.text).toContain("all apps & <more>");
});

test("a calendar of many years continues below, on any first day, and is the same when drawn twice", async () => {
  const many = Array.from({ length: 4000 }, (_, index) => ({ [cellStates[index % cellStates.length]!]: 1 }));
  const { text, svg } = await draw("2010-07-15", many);
  expect((await draw("2010-07-15", many)).text).toBe(text);
  expect(text).not.toMatch(/NaN|undefined|Infinity/);
  const [width, height] = [Number(svg.attributes["width"]), Number(svg.attributes["height"])];
  expect(squares(svg)).toHaveLength(many.length);
  for (const { x, y } of squares(svg)) {
    expect(x + 15).toBeLessThan(width);
    expect(y + 15).toBeLessThan(height);
  }
  expect(texts(svg, "legend")).toEqual([...new Set(worstFirst.map((state) => stateWords[state]))].toReversed());
});
