import { expect, test } from "vitest";
import { didYouMean } from "../../src/core/did-you-mean.ts";

test.each([
  ["keyword_rnk", ["keyword_app", "keyword_rank"], ", did you mean keyword_rank?"],
  ["привычка", ["...", "タスク", "привычки"], ", did you mean привычки?"],
  ["瞑想", ["...", "タスク", "🧘"], ""],
])("names for %s of %j the one that is near", (typed, names, near) => {
  expect(didYouMean(typed, names)).toBe(near);
});
