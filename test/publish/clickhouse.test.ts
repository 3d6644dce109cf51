import { describe, expect, test } from "vitest";
import { openClickHouse } from "../../src/publish/clickhouse.ts";
import { serve } from "../support/api-server.ts";

/** The error of a statement that is answered with this status and text. */
async function problemOf(status: number, text: string): Promise<unknown> {
  await using server = await serve((response) => response.writeHead(status).end(text));
  await using clickHouse = openClickHouse({ environment: { CLICKHOUSE_URL: server.origin, LOG_LEVEL: "silent" } });
  return await clickHouse.run("create database core").then(
    () => null,
    (error: unknown) => error,
  );
}

describe("what a statement that ClickHouse does not run is reported as", () => {
  test.each([
    [164, 500, "READONLY"],
    [192, 403, "UNKNOWN_USER"],
    [193, 403, "WRONG_PASSWORD"],
    [194, 401, "REQUIRED_PASSWORD"],
    [392, 500, "QUERY_IS_PROHIBITED"],
    [497, 403, "ACCESS_DENIED"],
    [516, 403, "AUTHENTICATION_FAILED"],
  ])("code %i is about the user and its rights: clickhouse_refused", async (code, status, type) => {
    expect(await problemOf(status, `Code: ${code}. DB::Exception: storehouse: no. (${type})`)).toMatchObject({
      name: "UsageError",
      code: "clickhouse_refused",
      context: { problem: `${type}: storehouse: no. ` },
    });
  });

  test.each([
    [241, 500, "MEMORY_LIMIT_EXCEEDED"],
    [242, 500, "TABLE_IS_READ_ONLY"],
    [60, 404, "UNKNOWN_TABLE"],
  ])("code %i is not: clickhouse_failed", async (code, status, type) => {
    const text = `Code: ${code}. DB::Exception: no.\nNor ever. (${type}) (version 26.7)`;
    expect(await problemOf(status, text)).toMatchObject({
      code: "clickhouse_failed",
      message: `clickhouse_failed: ClickHouse could not run a statement: ${type}: no.; publish again: months that have already arrived are not sent again; report this if it continues`,
    });
  });

  test("an answer that is not of ClickHouse is reported by its first line: clickhouse_unavailable", async () => {
    expect(await problemOf(502, `<h1>Bad gateway</h1>\n${"x".repeat(1_000)}`)).toMatchObject({
      code: "clickhouse_unavailable",
      context: { problem: "<h1>Bad gateway</h1>" },
    });
  });
});
