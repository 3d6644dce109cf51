import pg from "pg";
import { expect, test } from "vitest";
import { fail } from "../../src/core/errors.ts";
import { refusalOf } from "../../src/gateway/refusal-of.ts";

const starting = new pg.DatabaseError("the database system is starting up", 0, "error");
starting.code = "57P03";
// nothing listens there
const unreachable: unknown = await new pg.Client({ host: "127.0.0.1", port: 1 })
  .connect()
  .catch((error: unknown) => error);

test.each([
  ["starts up", starting],
  ["is not there", unreachable],
])("a Postgres that %s is named to the caller as what passes, and is no error that nobody forecast", (_, error) => {
  expect(refusalOf(error, 0)).toMatchObject({
    status: 503,
    message: expect.stringMatching(/^database_unreachable: /) as string,
  });
});

test("an error that nobody forecast is none of the refusals", () => {
  expect(refusalOf(new TypeError("x is not a function"), 0)).toBeNull();
});

test("a pause that the service names is passed on in seconds, and the reset of credits is none", () => {
  const headersOf = (code: "too_many_requests" | "server_error" | "credits_exhausted", until?: number) =>
    refusalOf(fail(code, { status: 429, until }), 1_000)?.headers;
  expect(headersOf("too_many_requests", 8_500)).toEqual({ "Retry-After": "8" });
  expect(headersOf("server_error", 500)).toEqual({ "Retry-After": "1" });
  expect(headersOf("too_many_requests")).toEqual({});
  expect(headersOf("credits_exhausted", 8_500)).toEqual({});
});
