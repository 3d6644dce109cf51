import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, test } from "vitest";
import { newestQueueMigration } from "../../src/postgres/pending-migrations.ts";

test("the newest migration of the queue is the one that its package has", () => {
  const main = createRequire(import.meta.url).resolve("graphile-worker");
  const files = readdirSync(path.join(path.dirname(main), "../sql")).map((name) => Number(/^\d+/.exec(name)?.[0] ?? 0));
  expect(Math.max(...files)).toBe(newestQueueMigration);
});
