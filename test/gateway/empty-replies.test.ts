import { expect, test } from "vitest";
import { fail } from "../../src/core/errors.ts";
import { createEmptyReplies } from "../../src/gateway/empty-replies.ts";

const minute = 60_000;

test("a reply that there is nothing is given again until it is old, another error never", () => {
  let now = 0;
  const replies = createEmptyReplies({ now: () => now }, 60);
  const nothing = fail("not_found", { operation: "x", problem: "no such app" });
  replies.note("a", nothing);
  replies.note("b", fail("timeout", { operation: "x", problem: "late" }));
  expect(() => replies.check("a")).toThrow(nothing.message);
  expect(() => replies.check("b")).not.toThrow();
  now = 60 * minute;
  expect(() => replies.check("a")).not.toThrow();
});

test("for 0 minutes nothing is kept", () => {
  const replies = createEmptyReplies({ now: () => 0 }, 0);
  replies.note("a", fail("no_content", { operation: "x", problem: "" }));
  expect(() => replies.check("a")).not.toThrow();
});
