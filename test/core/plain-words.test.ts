import { expect, test } from "vitest";
import { errorCodes } from "../../src/core/error-codes.ts";
import { logEvents } from "../../src/core/log-events.ts";
import { leftWordsIn } from "../support/left-words.ts";

/** Names as words: `slice.attempt_failed` is "slice attempt failed". */
const wordsOf = (name: string) => name.replaceAll(/[._]/g, " ");

test.each(Object.entries(logEvents))("the event %s says what happens in the words of the field", (name, { says }) => {
  expect(leftWordsIn(`${wordsOf(name)}: ${says}`)).toEqual([]);
});

test.each(Object.entries(errorCodes))("the error %s speaks the words of the field", (code, { says, next }) => {
  expect(leftWordsIn(`${wordsOf(code)}: ${says}; ${next}`)).toEqual([]);
});
