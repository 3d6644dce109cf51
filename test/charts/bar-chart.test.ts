import { expect, test } from "vitest";
import { barChart, type BarChart } from "../../src/charts/bar-chart.ts";
import { drawSvg } from "../../src/charts/draw.ts";
import { gradeInks } from "../../src/charts/palette.ts";
import { addDays, day } from "../../src/core/day.ts";
import { all, ofClass, readPicture } from "../support/picture.ts";

// a Monday
const start = day("2026-03-02");

async function bars(more: Partial<BarChart>) {
  const text = await drawSvg(
    barChart({
      title: { before: "Reviews of ", name: "Lumi", after: "" },
      subtitle: { before: "", name: "JP", after: "" },
      axis: "reviews",
      window: { start, end: addDays(start, 14) },
      series: [],
      ...more,
    }),
    "reviews",
  );
  const svg = readPicture(text);
  const drawnBars = ofClass(svg, "bars").flatMap((group) => all(group, "rect"));
  return {
    svg,
    legend: ofClass(svg, "legend").flatMap((group) => all(group, "text")).length,
    bars: drawnBars.map(({ attributes, children }) => ({
      title: children[0]?.text,
      fill: attributes["fill"],
      width: Number(attributes["width"]),
      height: Number(attributes["height"]),
      y: Number(attributes["y"]),
    })),
  };
}

const amounts = (...given: readonly number[]) => new Map(given.map((amount, index) => [addDays(start, index), amount]));

test("amounts of a day stand on each other in the order of their kinds, as high as they are large", async () => {
  const {
    bars: drawnBars,
    legend,
    svg,
  } = await bars({
    series: [
      { name: "one", amounts: amounts(1, 2) },
      { name: "two", amounts: amounts(3) },
    ],
  });
  const [first, later, above] = drawnBars;
  expect(drawnBars.map(({ title }) => title)).toEqual([
    "one, 2026-03-02: 1",
    "one, 2026-03-03: 2",
    "two, 2026-03-02: 3",
  ]);
  expect(later!.height).toBeCloseTo(2 * first!.height, 0);
  expect(above!.y + above!.height).toBeCloseTo(first!.y, 0);
  expect(above!.fill).not.toBe(first!.fill);
  expect(legend).toBe(2);
  expect(all(svg, "desc")[0]?.text).toBe("reviews by day, 2026-03-02 to 2026-03-15. one: 3. two: 3.");
});

test("days without an answer are hatched over the bars, in the legend and in words", async () => {
  const unanswered = [
    { start: addDays(start, 2), end: addDays(start, 4) },
    { start: addDays(start, 7), end: addDays(start, 8) },
  ];
  const { svg, legend } = await bars({ by: "week", series: [{ name: "all", amounts: amounts(1) }], unanswered });
  const hatched = ofClass(svg, "not-requested").flatMap((group) => all(group, "rect"));
  const widths = hatched.map(({ attributes }) => Number(attributes["width"]));
  expect(widths).toHaveLength(2);
  expect(widths[0]).toBeCloseTo(2 * widths[1]!, 0);
  expect(legend).toBe(1);
  expect(all(svg, "desc")[0]?.text).toContain("all: 1. 3 days without an answer.");
});

test("weeks begin on Monday and have the sum of their days, and one kind needs no legend", async () => {
  const week = Array.from({ length: 8 }, () => 1);
  const { bars: drawnBars, legend } = await bars({
    by: "week",
    series: [{ name: "all", amounts: amounts(...week), ink: gradeInks[4]! }],
  });
  expect(drawnBars.map(({ title }) => title)).toEqual([
    "all, 2026-03-02 to 2026-03-08: 7",
    "all, 2026-03-09 to 2026-03-15: 1",
  ]);
  expect(drawnBars[0]?.fill).toBe(gradeInks[4]?.light);
  expect(legend).toBe(0);
});

test("a week of which only some days are shown is as narrow as they are and names them, and the axis says that bars are weeks", async () => {
  const { bars: drawnBars, svg } = await bars({
    by: "week",
    window: { start: addDays(start, 5), end: addDays(start, 15) },
    series: [
      { name: "one", amounts: new Map([5, 8, 14].map((at) => [addDays(start, at), 1])) },
      { name: "two", amounts: new Map([[addDays(start, 6), 2]]) },
    ],
  });
  expect(drawnBars.map(({ title }) => title)).toEqual([
    "one, 2026-03-07 to 2026-03-08: 1",
    "one, 2026-03-09 to 2026-03-15: 1",
    "one, 2026-03-16: 1",
    "two, 2026-03-07 to 2026-03-08: 2",
  ]);
  const [part, whole, one, above] = drawnBars;
  expect(whole!.width / part!.width).toBeCloseTo(7 / 2, 0);
  expect(part!.width / one!.width).toBeCloseTo(2, 0);
  expect(above!.y + above!.height).toBeCloseTo(part!.y, 0);
  expect(all(svg, "text").map(({ text }) => text)).toContain("reviews per week");
});

test("nothing but zeros is drawn on a scale that begins at the bottom", async () => {
  const { svg } = await bars({ series: [{ name: "one", amounts: amounts(0, 0, 0) }] });
  const labels = all(svg, "text").map(({ text }) => text);
  expect(labels).toEqual(expect.arrayContaining(["0", "5"]));
  expect(labels.filter((text) => text.includes("."))).toEqual([]);
});
