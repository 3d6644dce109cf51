import { expect, test } from "vitest";
import { runCommand } from "../support/command.ts";

/** Nothing is there to connect to: the command must not come that far. */
const nowhere = {
  databaseUrl: "postgres://nobody@127.0.0.1:1/none",
  sandbox: { url: "http://127.0.0.1:1", token: "none" },
};

test.each([
  ["plan"],
  ["sync"],
  ["backfill", "--dataset", "keyword_rank", "--from", "2026-08-01", "--to", "2026-08-02"],
])("%s refuses to take a day to come for today", async (...command) => {
  const ended = await runCommand(nowhere, [...command, "--as-of", "2198-01-01"]);
  expect(ended.code).toBe(2);
  const [line, hint, ...others] = ended.stderr.trim().split("\n");
  expect(line).toContain("'--as-of <day>' argument '2198-01-01' is invalid. It is in the future");
  expect(hint).toContain("--help");
  expect(others).toEqual([]);
});
