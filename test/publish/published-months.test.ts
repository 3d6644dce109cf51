import { expect, test } from "vitest";
import { isUnderWay, underWay } from "../../src/publish/published-months.ts";

test("a month that is swapped or removed has no digest, and still says which removed rows it lacks", () => {
  const months = ["0a1b", "0a1b without 12", ""].map((digest) => ({ month: "2025-01", digest, rows: "3" }));
  const digests = underWay(months).map(({ digest }) => digest);
  expect(digests).toEqual(["under way", "under way without 12", "under way"]);
  expect(digests.every(isUnderWay)).toBe(true);
  expect(months.some(({ digest }) => isUnderWay(digest))).toBe(false);
});
