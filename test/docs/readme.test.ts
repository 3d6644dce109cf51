import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";

const readme = readFileSync(path.join(projectRoot, "README.md"), "utf8");
/** What is shown as code is no heading and no link. */
const prose = readme.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");
const headings = [...prose.matchAll(/^(##+) (.+)$/gm)].map(([, level = "", text = ""]) => ({ level, text }));

/** The name by which a heading is linked to. */
function anchorOf(heading: string): string {
  const kept = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "");
  return `#${kept.replaceAll(" ", "-")}`;
}

test("README's links lead to headings and files that there are", () => {
  const links = [...prose.matchAll(/\]\(([^)]+)\)/g)].map(([, to = ""]) => to).filter((to) => !to.startsWith("http"));
  const anchors = headings.map(({ text }) => anchorOf(text));
  expect(links.length).toBeGreaterThan(10);
  expect(
    links.filter((to) => !(to.startsWith("#") ? anchors.includes(to) : existsSync(path.join(projectRoot, to)))),
  ).toEqual([]);
});

test("README's contents name every part, in the order of the page", () => {
  const contents = /^\*\*Contents\*\*: .+$/m.exec(readme)?.[0] ?? "";
  const named = [...contents.matchAll(/\]\((#[^)]+)\)/g)].map(([, to = ""]) => to);
  const parts = headings.filter(({ level, text }) => level === "##" || named.includes(anchorOf(text)));
  expect(named).toEqual(parts.map(({ text }) => anchorOf(text)));
});

test("what is made from the code and long comes after what people read", () => {
  const last = headings.filter(({ level }) => level === "##").at(-1)?.text;
  expect(last).toBe("Reference");
  expect(readme.indexOf("## Reference")).toBeLessThan(readme.indexOf("<!-- generated: columns -->"));
});
