/** A cell of a printed table. */
export type Cell = string | number | bigint | boolean | null | undefined;

/** Lays rows out in columns under their headings; numbers to the right. Wide characters count double, so that columns stay straight. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) => row.map(show));
  const widths = headings.map((heading, column) =>
    Math.max(width(heading), ...texts.map((row) => width(row[column] ?? ""))),
  );
  const right = headings.map(
    (_, column) => rows.length > 0 && rows.every((row) => row[column] == null || typeof row[column] === "number"),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => pad(cell, widths[column] ?? 0, right[column] ?? false))
      .join("  ")
      .trimEnd();
  return [line(headings), line(widths.map((size) => "-".repeat(size))), ...texts.map(line)].join("\n");
}

function show(cell: Cell): string {
  if (cell == null) return "-";
  return typeof cell === "number" ? cell.toLocaleString("en-US") : String(cell);
}

function pad(text: string, to: number, right: boolean): string {
  const gap = " ".repeat(Math.max(0, to - width(text)));
  return right ? gap + text : text + gap;
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

function width(text: string): number {
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0);
}
