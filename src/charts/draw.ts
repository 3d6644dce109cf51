import type * as Plot from "@observablehq/plot";
import { darkRules, inks } from "./palette.ts";
import { shortenedName, plainText, whole, type NamedWords } from "./words.ts";

/** The library that draws. */
export type Library = typeof Plot;
/** Something that a drawing shows: lines, bars, dots, text ... */
export type Mark = Plot.Markish;

/** The definition of a drawing. */
export type Drawing = {
  /** In pixels; the height without the heading of a file. */
  readonly width: number;
  readonly height: number;
  readonly title: NamedWords;
  readonly subtitle: NamedWords;
  /** One or two sentences for readers who do not see the drawing. */
  readonly description: string;
  /** Scales, margins and marks, from the library. */
  readonly plot: (library: Library) => Omit<Plot.PlotOptions, "width" | "height" | "document" | "marks"> & {
    readonly marks: readonly Mark[];
  };
};

const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif";

/** What fills a hatched area; each drawing has its own pattern. */
export const hatchFill = "url(#drawing-hatch)";

/** The class of every drawing: rules of CSS find its colours by it. */
export const drawingClass = "drawing";

/** Room at each side of a file. */
const margin = 28;
/** Room for title and subtitle of a file. */
const headingHeight = 78;

/** An element as far as it is used here; the types of a browser are not available. */
export interface SvgElement {
  readonly outerHTML: string;
  textContent: string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  appendChild(child: SvgElement): void;
  insertBefore(child: SvgElement, before: SvgElement | null): void;
  remove(): void;
  querySelector(selector: string): SvgElement | null;
  querySelectorAll(selector: string): ArrayLike<SvgElement>;
  readonly childNodes: ArrayLike<SvgElement>;
  readonly firstChild: SvgElement | null;
  readonly ownerDocument: SvgDocument;
}
interface SvgDocument {
  createElementNS(namespace: string, name: string): SvgElement;
}

/**
 * A drawing for a page: an `svg` element without style sheet or script, whose colours are attributes. The page has the heading. The same
 * drawing gives the same text.
 */
export async function drawSvg(drawing: Drawing, id: string): Promise<string> {
  const svg = await svgOf(drawing);
  name(svg, drawing, id);
  return textOf(svg);
}

/**
 * A drawing as a standalone SVG file: no script, no font, nothing to fetch; with its heading, and colours for dark pages. The same drawing
 * gives the same bytes.
 */
export async function drawFile(drawing: Drawing): Promise<string> {
  const { title, subtitle } = drawing;
  const width = drawing.width + 2 * margin;
  const height = drawing.height + headingHeight + margin;
  const svg = await svgOf(drawing);
  const { ownerDocument: document } = svg;
  const inside = element(document, "g", { transform: `translate(${margin} ${headingHeight})` });
  for (const child of Array.from(svg.childNodes)) inside.appendChild(child);
  const words = (
    line: NamedWords,
    { size, ...place }: { readonly size: number; readonly y: number; readonly fill: string },
  ) =>
    element(
      document,
      "text",
      { x: margin, ...place, "font-size": size, "text-anchor": "start", ...(size > 15 ? { "font-weight": 600 } : {}) },
      shortenedName(line, { width: width - 2 * margin, size }),
    );
  const ground = { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 10 };
  for (const part of [
    element(document, "style", {}, `@media (prefers-color-scheme:dark){\n${darkRules(`.${drawingClass}`)}\n}`),
    element(document, "rect", { ...ground, fill: inks.page.light, stroke: inks.edge.light }),
    words(title, { size: 19, y: 42, fill: inks.text.light }),
    words(subtitle, { size: 13, y: 64, fill: inks.soft.light }),
    inside,
  ])
    svg.appendChild(part);
  for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
    svg.setAttribute(key, String(value));
  name(svg, drawing, "drawing");
  return `${textOf(svg)}\n`;
}

const svgNamespace = "http://www.w3.org/2000/svg";

function element(
  document: SvgDocument,
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  text = "",
): SvgElement {
  const made = document.createElementNS(svgNamespace, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== "") made.textContent = plainText(text);
  return made;
}

/** The element as XML, which has no named entity for a non-breaking space. */
function textOf(svg: SvgElement): string {
  return svg.outerHTML.replaceAll("&nbsp;", "\u00a0");
}

async function svgOf({ width, height, plot }: Drawing): Promise<SvgElement> {
  // the drawing libraries take a tenth of a second to load: only commands and pages that draw wait for them
  const [library, { createDocument }] = await Promise.all([import("@observablehq/plot"), import("domino")]);
  const { marks, ...options } = plot(library);
  const document = createDocument("");
  const svg: SvgElement = library.plot({ ...options, width, height, document, marks: [...marks] });
  svg.querySelector("style")?.remove();
  // the drawing is named as a whole: a group in it has no role for a separate label
  for (const group of Array.from(svg.querySelectorAll("[aria-label]"))) group.removeAttribute("aria-label");
  const attributes = { xmlns: svgNamespace, class: drawingClass, "font-family": font, fill: inks.soft.light };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  return svg;
}

/** Names a drawing for those who do not see it: it is one picture, and its parts are not read out. */
function name(svg: SvgElement, { title, subtitle, description }: Drawing, id: string): void {
  const { ownerDocument: document } = svg;
  const first = svg.firstChild;
  svg.insertBefore(element(document, "title", { id: `${id}-title` }, `${whole(title)}, ${whole(subtitle)}`), first);
  svg.insertBefore(element(document, "desc", { id: `${id}-desc` }, description), first);
  // several drawings may be on one page
  for (const pattern of Array.from(svg.querySelectorAll("pattern"))) pattern.setAttribute("id", `${id}-hatch`);
  for (const area of Array.from(svg.querySelectorAll(`[fill="${hatchFill}"]`)))
    area.setAttribute("fill", `url(#${id}-hatch)`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-labelledby", `${id}-title ${id}-desc`);
}
