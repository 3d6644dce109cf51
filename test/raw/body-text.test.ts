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
    const whole = JSON.stringify(answer, null, 2);
    expect(bodyText(Buffer.from(body))).toBe(whole);
    expect(startText(body)).toBe(whole);
    for (let length = 1; length < body.length; length += 1)
      expect(whole.startsWith(startText(body.slice(0, length)).trimEnd())).toBe(true);
  }
});

test("numbers are shown as they were written, also those that are no number of JavaScript", () => {
  const body = '{"id":12345678901234567890,"price":1.10,"id":2}';
  expect(bodyText(Buffer.from(body))).toBe('{\n  "id": 12345678901234567890,\n  "price": 1.10,\n  "id": 2\n}');
});

test("the start of what is no JSON is shown as it is", () => {
  expect(startText("<p>no  JSON: {</p>")).toBe("<p>no  JSON: {</p>");
});
