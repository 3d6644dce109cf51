import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "../../src/config/config.ts";

/** A source file: its path from the project's folder, with slashes, and its text. */
export type Source = { readonly file: string; readonly text: string };

/** Every TypeScript file under some folders of the project. */
export function sourcesIn(...folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(projectRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .sort()
      .map((file) => ({ file, text: readFileSync(path.join(projectRoot, file), "utf8") })),
  );
}

/** The text without comments; strings stay, so that what they import is still seen. */
export function codeOf({ text }: Source): string {
  const token = /\/\*[\s\S]*?\*\/|(?<![:"'`\\])\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
  return text.replaceAll(token, (found) => (found.startsWith("/") ? " " : found));
}

/** What a file imports, as it is written: statically, dynamically, for types, or to hand on. */
function importsOf(source: Source): string[] {
  const forms = [
    /\b(?:import|export)\b(?:[\s\w$*{},]|\btype\b)*?\bfrom\s*["']([^"']+)["']/g,
    /\bimport\s*["']([^"']+)["']/g,
    /\bimport\s*\(\s*["'`]([^"'`]+)["'`]/g,
  ];
  const code = codeOf(source);
  return forms.flatMap((form) => [...code.matchAll(form)].map((match) => match[1] ?? ""));
}

/** The file that a relative import names, from the project's folder; null for a package. */
function target(source: Source, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  return path.posix.normalize(path.posix.join(path.posix.dirname(source.file), specifier));
}

/** The step of the way that a file belongs to: its folder under src, `jobs`, or the file itself for an entry. */
export function stepOf(file: string): string {
  const [top, second = "", ...rest] = file.split("/");
  if (top !== "src") return top ?? file;
  return rest.length > 0 ? second : second.replace(/\.ts$/, "");
}

/** Imports that the allow-list does not have, as `from -> to (file)`. */
export function forbidden(sources: readonly Source[], allowed: Readonly<Record<string, readonly string[]>>): string[] {
  return sources.flatMap((source) => {
    const from = stepOf(source.file);
    return importsOf(source)
      .map((specifier) => target(source, specifier))
      .filter((file) => file !== null)
      .map(stepOf)
      .filter((to) => to !== from && !(allowed[from] ?? []).includes(to))
      .map((to) => `${from} -> ${to} (${source.file})`);
  });
}

/** Imports that lie on a way back to where they start, types included, as `from -> to`. */
export function circles(sources: readonly Source[]): string[] {
  const imports = new Map(
    sources.map((source) => [
      source.file,
      importsOf(source)
        .map((specifier) => target(source, specifier))
        .filter((file) => file !== null),
    ]),
  );
  const reaches = (from: string): Set<string> => {
    const seen = new Set<string>();
    const follow = (file: string) => {
      for (const to of imports.get(file) ?? []) {
        if (seen.has(to)) continue;
        seen.add(to);
        follow(to);
      }
    };
    follow(from);
    return seen;
  };
  return sources
    .filter(({ file }) => reaches(file).has(file))
    .flatMap(({ file }) =>
      (imports.get(file) ?? []).filter((to) => reaches(to).has(file)).map((to) => `${file} -> ${to}`),
    );
}

/** The files in whose code the pattern occurs. */
export function filesWith(sources: readonly Source[], pattern: RegExp): string[] {
  return sources.filter((source) => pattern.test(codeOf(source))).map(({ file }) => file);
}

/** The files that import a package. */
export function importersOf(sources: readonly Source[], name: RegExp): string[] {
  return sources
    .filter((source) => importsOf(source).some((specifier) => name.test(specifier)))
    .map(({ file }) => file);
}
