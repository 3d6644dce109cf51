import type { Window } from "../core/window.ts";
import { hatchFill, type Library, type Mark, type SvgElement } from "./draw.ts";
import { inks } from "./palette.ts";
import { beginning } from "./time.ts";

/** Hatches whole days over the height of the frame. */
export function hatched(library: Library, windows: readonly Window[]): readonly Mark[] {
  if (windows.length === 0) return [];
  const areas = windows.map(({ start, end }) => ({ x1: beginning(start), x2: beginning(end) }));
  return [pattern, library.rectX(areas, { x1: "x1", x2: "x2", fill: hatchFill, className: "not-requested" })];
}

/** The pattern, which the library does not have. */
const pattern: Mark = (_index, _scales, _values, _dimensions, { document }) => {
  const made = (name: string, attributes: Readonly<Record<string, string | number>>) => {
    const element: SvgElement = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    return element;
  };
  const hatch = made("pattern", {
    id: "drawing-hatch",
    width: 6,
    height: 6,
    patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  });
  hatch.appendChild(made("path", { d: "M3 0V6", stroke: inks.hatch.light, "stroke-width": 1.5 }));
  return hatch;
};
