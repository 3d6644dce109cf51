import { expect, test } from "vitest";
import { exitCodeOf } from "../../src/cli/run-report.ts";
import { fail } from "../../src/core/errors.ts";

test.each([
  [0, "loaded", null],
  [1, "failed", null],
  [1, "aborted", fail("no_connection")],
  [1, "aborted", fail("server_error", { status: 503 })],
  [2, "aborted", fail("unauthorised")],
  [3, "deferred", null],
  [130, "interrupted", null],
] as const)("ends with %i when a run is %s, %s", (code, outcome, error) => {
  expect(exitCodeOf({ outcome, error })).toBe(code);
});
