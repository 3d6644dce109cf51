import pg from "pg";
import { expect, test } from "vitest";
import { reportFailure } from "../../src/cli/report-failure.ts";
import { freshDatabase } from "../support/database.ts";

test("a connection to Postgres that breaks under any command is reported in one line, with 2", async () => {
  await using database = await freshDatabase();
  await using client = Object.assign(new pg.Client({ connectionString: database.url }), {
    [Symbol.asyncDispose]: () => client.end(),
  });
  client.on("error", () => undefined);
  await client.connect();
  const broken = await client.query("select pg_terminate_backend(pg_backend_pid())").catch((error: unknown) => error);
  const after = await client.query("select 1").catch((error: unknown) => error);
  const said: string[] = [];
  for (const error of [broken, after]) expect(await reportFailure(error, (line) => void said.push(line))).toBe(2);
  expect(said).toHaveLength(2);
  for (const line of said) expect(line).toMatch(/^database_unreachable: Postgres does not respond [^\n]*$/);
});

test("a statement that an administrator cancels under any command is reported in one line, with 1", async () => {
  const cancelled = new pg.DatabaseError("canceling statement due to user request", 10, "error");
  cancelled.code = "57014";
  const said: string[] = [];
  expect(await reportFailure(cancelled, (line) => void said.push(line))).toBe(1);
  expect(said).toEqual([
    expect.stringMatching(/^database_interrupted: [^\n]*: canceling statement due to user request; [^\n]*$/),
  ]);
});
