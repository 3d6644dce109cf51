/** A table of the report: a title, one heading per column, the cells as text. */
export type Table = {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** A table for the terminal, columns aligned. */
export function plain({ title, head, rows }: Table): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("   ")
      .trimEnd(),
  );
  return `${title}\n\n${text.join("\n")}\n`;
}

/** A table for docs/performance.md. */
export function markdown({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return `${title}\n\n${[head, rule, ...rows].map(line).join("\n")}\n`;
}
