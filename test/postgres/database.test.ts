import { inspect } from "node:util";
import { randomBytes } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { UsageError } from "../../src/core/errors.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { freshDatabase } from "../support/database.ts";
import { serverOfVersion } from "../support/warehouse-old-server.ts";

/** What opening ends with: everything that a log or a screen could show of it, too. */
async function refusal(url: string) {
  const error: unknown = await openWarehouse(url, 1).then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!(error instanceof UsageError))
    throw new Error("the database was opened, or the error is none of ours", { cause: error });
  return { error, shown: `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify(error)}` };
}

describe("a database that cannot be used", () => {
  test("nobody listens: the error names DATABASE_URL and keeps the password to itself", async () => {
    const { error, shown } = await refusal("postgres://somebody:s3cret-word@127.0.0.1:1/any");
    expect(error).toMatchObject({ code: "database_unreachable", context: { code: "ECONNREFUSED" } });
    expect(error.message).toContain("DATABASE_URL");
    expect(shown).not.toContain("s3cret-word");
  });

  test("the name of the server leads nowhere", async () => {
    const { error, shown } = await refusal("postgres://somebody:s3cret-word@no-such-host.invalid/any");
    expect(error.message).toContain("DATABASE_URL");
    expect(shown).not.toContain("s3cret-word");
  });

  test("the address cannot be read", async () => {
    const { error, shown } = await refusal("postgres://somebody:s3cret-word@127.0.0.1:notaport/any");
    expect(error.message).toContain("DATABASE_URL");
    expect(shown).not.toContain("s3cret-word");
  });

  test("the password is wrong", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1);
    const role = `storehouse_test_${randomBytes(6).toString("hex")}`;
    const url = new URL(database.url);
    [url.username, url.password] = [role, "s3cret-word"];
    await warehouse.pool.query(`create role ${role} login password 'another'`);
    try {
      const { error, shown } = await refusal(url.href);
      expect(error).toMatchObject({ code: "database_refused", context: { code: "28P01" } });
      expect(error.message).toContain("DATABASE_URL");
      expect(shown).not.toContain("s3cret-word");
    } finally {
      await warehouse.pool.query(`drop role ${role}`);
    }
  });

  test("the server is older than Postgres 15", async () => {
    await using server = await serverOfVersion(140_011);
    const { error, shown } = await refusal(server.url);
    expect(error.message).toMatch(/DATABASE_URL/);
    expect(error.message).toMatch(/Postgres 15/);
    expect(shown).not.toContain("s3cret-word");
    await using new15 = await serverOfVersion(150_000);
    await (await openWarehouse(new15.url, 1))[Symbol.asyncDispose]();
  });
});

describe("an open database", () => {
  test.each(["Pacific/Apia", "America/Los_Angeles", "UTC"])(
    "gives days and zoneless times as text in %s",
    async (zone) => {
      vi.stubEnv("TZ", zone);
      await using database = await freshDatabase();
      await using warehouse = await openWarehouse(database.url, 1);
      const { rows } = await warehouse.pool.query(`
      select date '2026-03-29' as day, timestamp '2026-03-29 02:30:00' as time, null::date as none,
             array[date '2026-03-29', null] as days, array[timestamp '2026-03-29 02:30:00'] as times,
             timestamptz '2026-03-29 02:30:00+00' as instant, current_setting('TimeZone') as zone`);
      expect(rows).toEqual([
        {
          day: "2026-03-29",
          time: "2026-03-29 02:30:00",
          none: null,
          days: ["2026-03-29", null],
          times: ["2026-03-29 02:30:00"],
          instant: new Date("2026-03-29T02:30:00Z"),
          zone: "UTC",
        },
      ]);
    },
  );
});
