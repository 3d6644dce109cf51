import { expect, test } from "vitest";
import { datasets } from "../../src/datasets/shared/all.ts";
import { deletable, executable } from "../../src/postgres/role-statements.ts";
import { sourcesIn } from "../support/imports.ts";
import { pageAt } from "../support/pages.ts";

const text = sourcesIn("src", "jobs")
  .filter(({ file }) => file !== "src/postgres/role-statements.ts" && file !== "src/postgres/migrate.ts")
  .map((source) => source.text)
  .join("\n");

test("of the bookkeeping the loader may delete rows where the code does, and nowhere else", () => {
  const deleted = [...text.matchAll(/\bdelete\s+from\s+(ops\.\w+)/gi)].map(([, table]) => table);
  const rebuilt = datasets
    .flatMap(({ tables }) => tables.map(({ name }) => name))
    .filter((name) => name.startsWith("ops."));
  expect([...new Set([...deleted, ...rebuilt])].sort()).toEqual([...deletable].sort());
  expect(text).not.toContain("deleteFrom(");
});

test("no statement empties a table at one blow, which the loader may not", () => {
  expect(text).not.toMatch(/\btruncate\s+(table\s+)?[\w$]+\.[\w$]+/i);
});

test("SECURITY.md names the tables of the bookkeeping in which the loader deletes, and the functions that it executes", () => {
  const page = pageAt("SECURITY.md").text;
  const [line = ""] = /^- In `ops` the loader may delete .*$/m.exec(page) ?? [];
  expect([...line.matchAll(/`(ops\.\w+)`/g)].map(([, name]) => name)).toEqual([...deletable].sort());
  const functions = [...page.matchAll(/^\| `(ops\.\w+)` \|/gm)].map(([, name]) => name);
  expect(functions.sort()).toEqual(executable.map((signature) => signature.split("(")[0]));
});
