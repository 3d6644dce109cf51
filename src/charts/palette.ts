import type { CellState } from "../plan/cell-states.ts";

/** A colour on a light page and its equivalent on a dark page. */
export type Ink = { readonly light: string; readonly dark: string };

/** Colours of text, lines and backgrounds. */
export const inks = {
  page: { light: "#ffffff", dark: "#0d1117" },
  edge: { light: "#d0d7de", dark: "#30363d" },
  text: { light: "#1f2328", dark: "#f0f6fc" },
  soft: { light: "#59636e", dark: "#9da7b3" },
  grid: { light: "#e4e8ec", dark: "#21272e" },
  lane: { light: "#f3f5f7", dark: "#161b22" },
  hatch: { light: "#b9c2cb", dark: "#434b55" },
  cell: { light: "#8c959e", dark: "#4b535d" },
  event: { light: "#8250df", dark: "#b08cff" },
} as const satisfies Record<string, Ink>;

/**
 * How one of several lines looks: they differ by dash and mark as well as by colour, for print in black and white and for colour-blind
 * people.
 */
export type LineLook = { readonly ink: Ink; readonly dash: string | undefined; readonly symbol: MarkSymbol };
type MarkSymbol = "circle" | "square2" | "diamond2" | "triangle2" | "times" | "star";

/** Looks of lines, in the order of use; the colours are those of Okabe and Ito, darker on a white background. */
export const lineLooks: readonly LineLook[] = [
  { ink: { light: "#0072b2", dark: "#56b4e9" }, dash: undefined, symbol: "circle" },
  { ink: { light: "#d55e00", dark: "#ff9d5c" }, dash: "7 4", symbol: "square2" },
  { ink: { light: "#008a66", dark: "#2bc79a" }, dash: "2 4", symbol: "diamond2" },
  { ink: { light: "#a8458b", dark: "#e59cc9" }, dash: "10 3 2 3", symbol: "triangle2" },
  { ink: { light: "#8a6100", dark: "#e6b84d" }, dash: "5 2", symbol: "times" },
  { ink: { light: "#57606b", dark: "#b3bcc6" }, dash: "1 3", symbol: "star" },
];

/** Colours of grades from bad to good, such as stars; distinct for colour-blind people too. */
export const gradeInks: readonly Ink[] = [
  { light: "#b2182b", dark: "#d6455a" },
  { light: "#e58368", dark: "#e08a70" },
  { light: "#c2c7cc", dark: "#7d858d" },
  { light: "#6ba7cd", dark: "#5d9cc4" },
  { light: "#2166ac", dark: "#3f86cf" },
];

/** How a cell of coverage looks: a colour, and a sign that is visible without it. `sign`: a character that every font has. */
export type StateLook = { readonly fill: Ink; readonly ink: Ink; readonly sign: string };

const white: Ink = { light: "#fefefe", dark: "#fefefe" };
const black: Ink = { light: "#1c2024", dark: "#1c2024" };
const queued: StateLook = {
  fill: { light: "#b07cc6", dark: "#a06bb8" },
  ink: white,
  sign: "►",
};

/** The look of each state. */
export const stateLooks: Readonly<Record<CellState, StateLook>> = {
  loaded: { fill: { light: "#4393c7", dark: "#3a86b8" }, ink: white, sign: "•" },
  empty: { fill: { light: "#d9ecf8", dark: "#1f3d52" }, ink: { light: "#5b7587", dark: "#8fb0c4" }, sign: "0" },
  failed: { fill: { light: "#c8452f", dark: "#d9573f" }, ink: white, sign: "×" },
  lost: { fill: { light: "#24292e", dark: "#050608" }, ink: white, sign: "■" },
  missing: {
    fill: { light: "#fffefe", dark: "#14191f" },
    ink: { light: "#1f2327", dark: "#f0f6fb" },
    sign: "·",
  },
  deferred: { fill: { light: "#f2cf4a", dark: "#d9b53a" }, ink: black, sign: "≈" },
  pending: queued,
  running: queued,
  stale: { fill: { light: "#7fcabb", dark: "#4fa596" }, ink: black, sign: "○" },
  skipped: { fill: { light: "#b4bcc5", dark: "#6e7781" }, ink: black, sign: "–" },
  dropped: { fill: { light: "#eaeef2", dark: "#2d333b" }, ink: { light: "#59636d", dark: "#9da7b2" }, sign: "/" },
};

const every: readonly Ink[] = [
  ...Object.values(inks),
  ...lineLooks.map(({ ink }) => ink),
  ...gradeInks,
  ...Object.values(stateLooks).flatMap(({ fill, ink }) => [fill, ink]),
];

/**
 * CSS rules that change the colours of drawings below a selector to those for a dark page. Drawings have the light ones as attributes, so
 * that programs without style sheets show them too.
 */
export function darkRules(below: string): string {
  const rules = [...new Map(every.map((ink) => [ink.light, ink.dark]))].map(
    ([light, dark]) => `${below} [fill="${light}"]{fill:${dark}}${below} [stroke="${light}"]{stroke:${dark}}`,
  );
  return rules.join("\n");
}

/** CSS rules that give HTML elements the look of the state that their class names. */
export function stateRules(of: string): string {
  return Object.entries(stateLooks)
    .map(
      ([state, { fill, ink }]) =>
        `${of}.${state}{background-color:light-dark(${fill.light},${fill.dark});color:light-dark(${ink.light},${ink.dark})}`,
    )
    .join("\n");
}
