import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { refusalCodes } from "../../src/ledger/refused-items.ts";

test("migrations name the same refusals as the program", () => {
  const migrations = readdirSync("migrations").filter((file) => /^\d.*\.sql$/.test(file));
  const lists = migrations.flatMap((file) =>
    [...readFileSync(`migrations/${file}`, "utf8").matchAll(/\bin \(([^()]*'bad_request'[^()]*)\)/g)].map(
      ([, list = ""]) => list.match(/\w+/g),
    ),
  );
  expect(lists.length).toBeGreaterThan(0);
  for (const list of lists) expect(list).toEqual(refusalCodes);
});
