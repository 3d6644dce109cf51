import { expect, test } from "vitest";
import { deletable } from "../../src/warehouse/role-statements.ts";
import { sourcesIn } from "../support/ingest-imports.ts";

const text = sourcesIn("src", "jobs")
  .filter(({ file }) => file !== "src/warehouse/role-statements.ts" && file !== "src/warehouse/migrate.ts")
  .map((source) => source.text)
  .join("\n");

test("of the bookkeeping the loader may delete rows where the code does, and nowhere else", () => {
  const deleted = [...text.matchAll(/\bdelete\s+from\s+(ops\.\w+)/gi)].map(([, table]) => table);
  expect([...new Set(deleted)].sort()).toEqual([...deletable].sort());
  expect(text).not.toContain("deleteFrom(");
});

test("no statement empties a table at one blow, which the loader may not", () => {
  expect(text).not.toMatch(/\btruncate\s+(table\s+)?[\w$]+\.[\w$]+/i);
});
