import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "../../src/config/config.ts";

/** A page for readers: its path from the project's folder, and its text. */
export type DocsPage = { readonly file: string; readonly text: string };

/** The front door and every page of docs. */
export const docsPages: readonly DocsPage[] = [
  "README.md",
  ...readdirSync(path.join(projectRoot, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`)
    .sort(),
].map(pageAt);

/** Every page for readers, those of the project's root as well. */
export const allPages: readonly DocsPage[] = [
  ...docsPages,
  ...["CONTRIBUTING.md", "DECISIONS.md", "CHANGELOG.md", "SECURITY.md"].map(pageAt),
];

/** Pages that people write; the texts of generated ones are held where they come from. */
export const writtenPages: readonly DocsPage[] = allPages.filter(
  ({ text }) => !text.includes("`npm run docs` writes this page"),
);

/** A page by its path from the project's folder. */
export function pageAt(file: string): DocsPage {
  return { file, text: readFileSync(path.join(projectRoot, file), "utf8") };
}

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** The blocks of code of a language that a page shows. */
export function blocksOf({ text }: DocsPage, language: string): readonly string[] {
  return [...text.matchAll(fence)].filter(([, named]) => named === language).map(([, , code = ""]) => code);
}

/** The text without code: a link, a heading or a word in there is none. */
export function proseOf({ text }: DocsPage): string {
  return text
    .replaceAll(fence, "")
    .replaceAll(/^ {4}.*$/gm, "")
    .replaceAll(/`[^`\n]*`/g, "");
}

/** Lines to type: those of blocks that are indented. */
export function typedLines({ text }: DocsPage): readonly string[] {
  return [...text.replaceAll(fence, "").matchAll(/^ {4}(.+)$/gm)].map(([, line = ""]) => line);
}

/** Names of code within sentences and tables. */
export function namedInline({ text }: DocsPage): readonly string[] {
  return [...text.replaceAll(fence, "").matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}
