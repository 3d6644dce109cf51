import { expect, test } from "vitest";
import { operations } from "../../src/api/operations/all.ts";
import { leftWordsIn } from "../support/left-words.ts";

test.each(operations.map((operation) => [operation.id, operation] as const))(
  "the texts of %s are in the words of the field",
  (_, { name, summary, params }) => {
    const texts = [name, summary, ...Object.values(params).map(({ doc }) => doc)];
    expect(texts.flatMap(leftWordsIn)).toEqual([]);
  },
);
