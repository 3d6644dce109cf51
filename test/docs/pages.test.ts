import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { columnRules } from "../support/column-rules.ts";
import { leftWordsIn } from "../support/left-words.ts";
import { allPages, docsPages, pageAt, proseOf, type DocsPage } from "../support/pages.ts";

const readme = pageAt("README.md");
const glossary = pageAt("docs/glossary.md");

/** Where the links of a page lead: files from the project's folder, and the anchor behind `#`. */
function linksOf(page: DocsPage): readonly { readonly file: string; readonly anchor: string | undefined }[] {
  // a picture or a link may name code, so that only blocks go
  const text = page.text.replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, to = ""]) => to)
    .filter((to) => !/^https?:/.test(to))
    .map((to) => {
      const [target = "", anchor] = to.split("#");
      return { file: target === "" ? page.file : path.posix.join(path.posix.dirname(page.file), target), anchor };
    });
}

/** The names by which headings of a page are linked to. */
function anchorsOf(page: DocsPage): ReadonlySet<string> {
  const headings = page.text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, text = ""]) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

describe("the pages", () => {
  test.each(allPages.map((page) => [page.file, page] as const))(
    "%s links to files and headings that exist",
    (_, page) => {
      const broken = linksOf(page).filter(({ file, anchor }) => {
        if (!existsSync(path.join(projectRoot, file))) return true;
        return anchor !== undefined && !anchorsOf(pageAt(file)).has(anchor);
      });
      expect(broken).toEqual([]);
    },
  );

  test.each(["CONTRIBUTING.md", "DECISIONS.md"])("%s names files that exist", (file) => {
    const named = [...pageAt(file).text.matchAll(/`((?:src|jobs|test|bench|migrations)\/[^`\s]*)`/g)].map(
      ([, name = ""]) => name,
    );
    // one with a place to fill in is no file
    const missing = named.filter((name) => !name.includes("<") && globSync(name, { cwd: projectRoot }).length === 0);
    expect(missing).toEqual([]);
  });

  test("README is one page, and its index links every other", () => {
    expect(readme.text.trimEnd().split("\n").length).toBeLessThanOrEqual(200);
    expect(Buffer.byteLength(readme.text)).toBeLessThanOrEqual(14_336);
    const linked = new Set(linksOf(readme).map(({ file }) => file));
    expect(docsPages.map(({ file }) => file).filter((file) => file !== readme.file && !linked.has(file))).toEqual([]);
  });

  test.each(allPages.map((page) => [page.file, page] as const))("%s is in the field's words", (_, page) => {
    expect(
      proseOf(page)
        .split("\n")
        .flatMap((line) => leftWordsIn(line).map((word) => [word, line])),
    ).toEqual([]);
  });

  test.each([".env.example", "docker-compose.yml", "Dockerfile", "jobs/crontab", "config/storehouse.yaml"])(
    "%s is in the field's words",
    (file) => {
      const lines = readFileSync(path.join(projectRoot, file), "utf8").split("\n");
      expect(lines.flatMap((line) => leftWordsIn(line).map((word) => [word, line]))).toEqual([]);
    },
  );

  test("link the glossary before they use one of its words", () => {
    const terms = [...glossary.text.matchAll(/^\| (\w+) \| /gm)]
      .map(([, term = ""]) => term)
      .filter((one) => one !== "term");
    expect(terms.length).toBeGreaterThan(15);
    const word = new RegExp(String.raw`\b(?:${terms.map((term) => `${term}(?:s|es|ed|red|s'|'s)?`).join("|")})\b`, "i");
    const early = allPages
      .filter(({ file }) => file !== glossary.file)
      .filter((page) => {
        const [, ...lines] = proseOf(page).split("\n");
        const used = lines.findIndex((line) => word.test(line.replaceAll(/\]\([^)]*\)/g, "]")));
        const linked = lines.findIndex((line) => /\]\((?:\.\.\/|docs\/)?glossary\.md\)/.test(line));
        return used >= 0 && (linked < 0 || linked > used);
      });
    expect(early.map(({ file }) => file)).toEqual([]);
  });
});

test("the guide to datasets lists every rule on names of columns", () => {
  const guide = pageAt("docs/contributing-a-dataset.md").text.replaceAll("`", "").toLowerCase();
  expect(columnRules.map(({ says }) => says).filter((says) => !guide.includes(`- ${says}.`))).toEqual([]);
});
