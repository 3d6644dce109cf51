import { describe, expect, test } from "vitest";
import { sourcesIn } from "../support/imports.ts";
import { leftWordsIn } from "../support/left-words.ts";
import { textsIn } from "../support/source-texts.ts";

describe("what the command line prints is in the field's words", () => {
  test.each(sourcesIn("src/cli"))("$file", ({ text: source }) => {
    const printed = textsIn(source).filter((text) => !/^[./]*[\w./-]+\.ts$/.test(text));
    expect(printed.filter((text) => leftWordsIn(text).length > 0)).toEqual([]);
  });
});
