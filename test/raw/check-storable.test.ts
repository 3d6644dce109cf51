import { expect, test } from "vitest";
import { openWarehouse } from "../../src/postgres/database.ts";
import { checkStorable } from "../../src/raw/check-storable.ts";
import { freshDatabase } from "../support/database.ts";

test("a disk without room for answers shows before one is paid for, and the trial leaves nothing", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1);
  await checkStorable(warehouse.db);
  expect((await warehouse.pool.query("select from raw.answer")).rows).toEqual([]);
  // there is room for less than 128 KiB
  await warehouse.pool.query(`
    create function public.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
    create trigger full_disk before insert on raw.answer
    for each row when (octet_length(new.body) >= 128 * 1024) execute function public.refuse()`);
  await expect(checkStorable(warehouse.db)).rejects.toMatchObject({ code: "database_full" });
});
