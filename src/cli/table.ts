import { screen, toned, type TextTone } from "./screen.ts";
import { leastWidth, textWidth, wrapText, type Breaks } from "../core/text-width.ts";
import { count } from "../core/words.ts";

/** What a cell holds. */
export type Cell = string | number | bigint | boolean | null | undefined | TonedCell;

/** A cell in the colour of its meaning. */
type TonedCell = { readonly value: string | number | null; readonly tone: TextTone };

/** The heading of a column; columns with `isOptional` are left out if the screen is too narrow, the last one first. */
export type Heading = string | { readonly name: string; readonly isOptional: true };

/** The heading of a column that a narrow screen leaves out. */
export function optional(name: string): Heading {
  return { name, isOptional: true };
}

type Column = {
  readonly name: string;
  readonly isOptional: boolean;
  readonly isRight: boolean;
  readonly cells: readonly { readonly text: string; readonly tone: TextTone | null }[];
};

/** Space between two columns. */
const gap = 2;

/**
 * Lays rows out in columns under their headings; numbers are right-aligned, wide characters count double. If the table is wider than the
 * screen, cells are wrapped between words; then optional columns are left out, which the last line says; then names are broken after
 * punctuation, and finally anywhere.
 */
export function table(
  headings: readonly Heading[],
  rows: readonly (readonly Cell[])[],
  columns: number = screen().columns,
): string {
  const all = headings.map((heading, index) =>
    columnOf(
      heading,
      rows.map((row) => row[index]),
    ),
  );
  const { shown, widths, breaks } = fitted(all, columns);
  const line = (cells: readonly (readonly string[])[], tones: readonly (TextTone | null)[]) =>
    Array.from({ length: Math.max(1, ...cells.map(({ length }) => length)) }, (_, at) =>
      shown
        .map(({ isRight }, column) => {
          const text = cells[column]?.[at] ?? "";
          const tone = tones[column] ?? null;
          return pad(text, tone === null ? text : toned(tone, text), { to: widths[column] ?? 0, isRight });
        })
        .join(" ".repeat(gap))
        .trimEnd(),
    ).join("\n");
  const wrapped = (texts: readonly string[]) =>
    texts.map((text, column) => wrapText(text, widths[column] ?? 1, breaks));
  const left = all.filter((column) => !shown.includes(column)).map(({ name }) => name);
  return [
    line(wrapped(shown.map(({ name }) => name)), []),
    line(
      widths.map((size) => ["-".repeat(size)]),
      [],
    ),
    ...rows.map((_, at) =>
      line(
        wrapped(shown.map(({ cells }) => cells[at]?.text ?? "")),
        shown.map(({ cells }) => cells[at]?.tone ?? null),
      ),
    ),
    ...(left.length === 0 ? [] : wrapText(`A wider terminal also shows: ${left.join(", ")}.`, columns)),
  ].join("\n");
}

function columnOf(heading: Heading, cells: readonly Cell[]): Column {
  const plain = cells.map((cell) => (isToned(cell) ? cell.value : cell));
  return {
    name: typeof heading === "string" ? heading : heading.name,
    isOptional: typeof heading !== "string",
    isRight: cells.length > 0 && plain.every((cell) => cell == null || typeof cell === "number"),
    cells: cells.map((cell, at) => ({ text: show(plain[at]), tone: isToned(cell) ? cell.tone : null })),
  };
}

function isToned(cell: Cell): cell is TonedCell {
  return typeof cell === "object" && cell !== null;
}

function show(cell: Exclude<Cell, TonedCell>): string {
  if (cell == null) return "-";
  // names come from outside: control characters become spaces
  return typeof cell === "number" ? count(cell) : String(cell).replaceAll(/(?!\n)\p{Cc}/gu, " ");
}

function pad(plain: string, text: string, { to, isRight }: { to: number; isRight: boolean }): string {
  const space = " ".repeat(Math.max(0, to - textWidth(plain)));
  return isRight ? space + text : text + space;
}

type Fit = { readonly shown: readonly Column[]; readonly widths: readonly number[]; readonly breaks: Breaks };

/** How far a column may shrink: to its widest word, to the widest part of a name, to a few letters. */
const ways = [
  { breaks: "words", most: Number.POSITIVE_INFINITY },
  { breaks: "marks", most: Number.POSITIVE_INFINITY },
  { breaks: "marks", most: 10 },
  { breaks: "marks", most: 4 },
] as const;

/** The first way to show the columns that fits. */
function fitted(all: readonly Column[], columns: number): Fit {
  let shown = all;
  for (const { breaks, most } of ways)
    for (;;) {
      const widths = widthsFor(shown, columns, (column) => Math.min(most, leastOf(column, breaks)));
      if (widths !== null) return { shown, widths, breaks };
      const last = shown.findLast(({ isOptional }) => isOptional);
      if (last === undefined) break;
      shown = shown.filter((column) => column !== last);
    }
  return { shown, widths: shown.map(naturalWidth), breaks: "marks" };
}

function naturalWidth({ name, cells }: Column): number {
  return Math.max(textWidth(name), ...cells.map(({ text }) => Math.max(...text.split("\n").map(textWidth))));
}

/** A number is never broken. */
function leastOf({ name, cells, isRight }: Column, breaks: Breaks): number {
  return Math.max(
    leastWidth(name, breaks),
    ...cells.map(({ text }) => (isRight ? textWidth(text) : leastWidth(text, breaks))),
  );
}

/** Widths under which the columns fit: the widest shrink first, none below its minimum. Null if they do not fit. */
function widthsFor(
  shown: readonly Column[],
  columns: number,
  leastWidthOf: (column: Column) => number,
): readonly number[] | null {
  const widths = shown.map(naturalWidth);
  let over = widths.reduce((sum, size) => sum + size, 0) + gap * (shown.length - 1) - columns;
  if (over <= 0) return widths;
  const least = shown.map(leastWidthOf);
  for (; over > 0; over -= 1) {
    const giving = widths.reduce<number | null>(
      (best, size, at) => (size > (least[at] ?? 0) && (best === null || size > (widths[best] ?? 0)) ? at : best),
      null,
    );
    if (giving === null) return null;
    widths[giving] = (widths[giving] ?? 0) - 1;
  }
  return widths;
}
