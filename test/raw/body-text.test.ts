import { expect, test } from "vitest";
import { bodyText, startText } from "../../src/raw/body-text.ts";

const answers = [
  { data: [{ keyword: 'a "b" {c}, [d]: \\', rank: -1.5e3, empty: {}, none: [], no: null, yes: true }] },
  [],
  [[1, [2]], { a: { b: [] } }],
];

test("the start of an answer is laid out like the whole, wherever it was cut off", () => {
  for (const answer of answers) {
    const body = JSON.stringify(answer);
    const whole = bodyText(Buffer.from(body));
    expect(startText(body)).toBe(whole);
    for (let length = 1; length < body.length; length += 1)
      expect(whole.startsWith(startText(body.slice(0, length)).trimEnd())).toBe(true);
  }
});

test("the start of what is no JSON is shown as it is", () => {
  expect(startText("<p>no  JSON: {</p>")).toBe("<p>no  JSON: {</p>");
});
