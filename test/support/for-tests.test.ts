import { expect, test } from "vitest";
import { forTests } from "./for-tests.ts";

const opened = { url: "postgres://x", query: () => 7, [Symbol.asyncDispose]: () => Promise.resolve() };
const stage = forTests(() => Promise.resolve(opened));

test("a copy has all that was opened, and what is changed in it", () => {
  expect({ ...stage }).toEqual(opened);
  expect({ ...stage, url: "another" }.query()).toBe(7);
  const { url, ...rest } = stage;
  expect([url, rest.query()]).toEqual([opened.url, 7]);
});

const early = forTests(() => Promise.resolve(opened));
const copied = (() => {
  try {
    return { ...early };
  } catch (error) {
    return error;
  }
})();

test("a copy that is made before it is opened fails", () => {
  expect(copied).toBeInstanceOf(TypeError);
});
