import { expect, test } from "vitest";
import { darkRules, inks, lineLooks, stateLooks, stateRules } from "../../src/charts/palette.ts";
import { cellStates, stateWords } from "../../src/plan/cell-states.ts";

const all = [
  ...Object.values(inks),
  ...lineLooks.map(({ ink }) => ink),
  ...Object.values(stateLooks).flatMap(({ fill, ink }) => [fill, ink]),
];

test("a colour of a light page has one on a dark page, since drawings name the light one alone", () => {
  const darks = Map.groupBy(all, ({ light }) => light);
  for (const [light, inksOfOne] of darks)
    expect([light, new Set(inksOfOne.map(({ dark }) => dark)).size]).toEqual([light, 1]);
  expect(darkRules(".x")).toContain(`.x [fill="${inks.text.light}"]{fill:${inks.text.dark}}`);
});

test("every state has a look, and two that mean different things differ in colour and in sign", () => {
  const meanings = new Map(cellStates.map((state) => [stateWords[state], stateLooks[state]]));
  const looks = [...meanings.values()];
  for (const page of ["light", "dark"] as const)
    expect(new Set(looks.map(({ fill }) => fill[page])).size).toBe(looks.length);
  expect(new Set(looks.map(({ sign }) => sign)).size).toBe(looks.length);
  expect(looks.filter(({ sign }) => sign.length !== 1)).toEqual([]);
  for (const state of cellStates) expect(stateRules(".cell")).toContain(`.cell.${state}{`);
});

test("lines differ by dash and mark as well as by colour", () => {
  for (const of of [
    lineLooks.map(({ dash }) => dash),
    lineLooks.map(({ symbol }) => symbol),
    lineLooks.map(({ ink }) => ink.light),
  ])
    expect(new Set(of).size).toBe(lineLooks.length);
});

test.each(["light", "dark"] as const)("lines and text are seen on a %s page", (page) => {
  const ground = luminance(inks.page[page]);
  const contrast = (colour: string) => {
    const [bright = 0, dim = 0] = [ground, luminance(colour)].sort((a, b) => b - a);
    return (bright + 0.05) / (dim + 0.05);
  };
  for (const { ink } of lineLooks) expect(contrast(ink[page])).toBeGreaterThan(3);
  for (const ink of [inks.text, inks.soft]) expect(contrast(ink[page])).toBeGreaterThan(4.5);
});

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
