/** A fully generated page of docs: its path and its text. */
export type DocsPage = {
  /** Path under docs, for instance `reference/errors.md`. */
  readonly file: string;
  readonly title: string;
  /** Paragraphs under the title. */
  readonly about: readonly string[];
  /** The parts after them, separated by an empty line. */
  readonly body: readonly string[];
};

/** A page as Markdown. It links to the glossary first, and says that it is generated. */
export function pageText({ file, title, about, body }: DocsPage): string {
  const up = "../".repeat(file.split("/").length - 1);
  return `${[
    `# ${title}`,
    "<!-- `npm run docs` writes this page. -->",
    `Terms are defined in the [glossary](${up}glossary.md).`,
    ...about,
    ...body,
  ].join("\n\n")}\n`;
}

/** A table in Markdown; cells stay on their line and in their column. */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Text with `<placeholders>` that a browser would take for tags; text in backticks is already safe. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
