import { expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { checkMigrations, checkRights } from "../../src/doctor/database-checks.ts";
import { readReadiness } from "../../src/health/readiness.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { grant, openGranted, tried } from "../support/granted-stage.ts";

test("a right that an older program did not grant is named, with the command that grants it", async () => {
  await using house = await openGranted();
  await using loader = await openWarehouse(house.urlOf("loader"), 2);
  const ready = async () => {
    const { checks } = await readReadiness({ db: () => loader.db, state: () => null, clock: systemClock() });
    return checks.find(({ check }) => check === "rights");
  };
  expect(await checkRights(loader.db)).toMatchObject({ state: "ok" });
  expect(await ready()).toMatchObject({ ok: true });

  await tried(
    house.adminUrl,
    "revoke delete on ops.slice from storehouse_loader",
    "revoke execute on all functions in schema ops from storehouse_loader",
  );
  const found = expect.stringMatching(
    /^storehouse_loader lacks delete on ops.slice, execute on ops.\S+, .* and 3 more$/,
  ) as string;
  const next = expect.stringContaining("have the database owner run `storehouse grants`") as string;
  expect(await checkRights(loader.db)).toMatchObject({ state: "fail", found, next });
  expect(await ready()).toMatchObject({ ok: false, found, next });

  await grant(house.adminUrl);
  expect(await checkRights(loader.db)).toMatchObject({ state: "ok" });
  await using reader = await openWarehouse(house.urlOf("reader"), 2);
  expect(await checkRights(reader.db)).toMatchObject({
    state: "fail",
    next: expect.stringContaining("connect as storehouse_loader") as string,
  });
});

test("migrations that the role in DATABASE_URL may not run fail, and name the role that may", async () => {
  await using house = await openGranted();
  await tried(house.adminUrl, "delete from ops.migration where name = (select max(name) from ops.migration)");
  await using loader = await openWarehouse(house.urlOf("loader"), 2);
  expect(await checkMigrations(loader.db)).toMatchObject({
    state: "fail",
    found: expect.stringMatching(/^1 migration is pending: [\w-]+, which this role may not run$/) as string,
    next: expect.stringContaining("run `storehouse migrate` as the owner") as string,
  });
});
