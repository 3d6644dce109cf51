import type { CellCounts, CellState } from "../plan/cell-states.ts";

/** How a day looks by the worst of its cells: a colour, and a sign that tells it in black and white as well. */
export type DayLook = {
  readonly states: readonly CellState[];
  readonly text: string;
  readonly name: string;
  readonly fill: string;
  /** Drawn over the colour, in a square from 0 to 14. */
  readonly sign: string;
  readonly ink: string;
};

const [white, black] = ["#ffffff", "#1f2328"];

/** From the worst to the best; a day looks like the first that one of its cells is in. */
export const dayLooks: readonly DayLook[] = [
  { states: ["failed"], text: "failed", name: "x", fill: "#d55e00", sign: "M4 4L10 10M10 4L4 10", ink: white },
  { states: ["missing"], text: "never asked for", name: "m", fill: "#ffffff", sign: "M7 7h.01", ink: black },
  {
    states: ["deferred"],
    text: "waits for credits",
    name: "d",
    fill: "#f0e442",
    sign: "M3.5 8C5 5 6 5 7 7S9 9 10.5 6",
    ink: black,
  },
  {
    states: ["pending", "running"],
    text: "waits or runs",
    name: "p",
    fill: "#cc79a7",
    sign: "M5 4L10 7L5 10Z",
    ink: white,
  },
  {
    states: ["stale"],
    text: "to be asked again",
    name: "s",
    fill: "#56b4e9",
    sign: "M4.5 7a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0",
    ink: black,
  },
  { states: ["skipped"], text: "cannot be had", name: "k", fill: "#afb8c1", sign: "M4 7H10", ink: black },
  { states: ["loaded"], text: "loaded", name: "l", fill: "#0072b2", sign: "", ink: white },
  { states: ["empty"], text: "asked for, nothing there", name: "e", fill: "#cfe8f7", sign: "", ink: black },
];

/** How a day with these cells looks; null where nothing is known of it. */
export function lookOf(cells: CellCounts | undefined): DayLook | null {
  return dayLooks.find(({ states }) => states.some((state) => (cells?.[state] ?? 0) > 0)) ?? null;
}

/** The rules of the looks. */
export const style = `.day{stroke:#57606a;stroke-width:.6}.sign{fill:none;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
${dayLooks.map(({ name, fill, ink }) => `.f${name}{fill:${fill}}.s${name}{stroke:${ink}}`).join("")}
`;
export const dark = `.day{stroke:#6e7681}.fm{fill:#21262d}.sm{stroke:#f0f6fc}
`;
