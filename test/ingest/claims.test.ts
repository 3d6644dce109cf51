import { expect, test } from "vitest";
import { openWithPortfolio } from "../support/backfill-stage.ts";

test("slices are claimed four at a time where few run side by side, as long as so many wait", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 4, countries: ["US", "JP"] } });
  await stage.query("create table public.claim (slices integer, left_over integer)");
  await stage.query(`
    create function public.note_claim() returns trigger language plpgsql as $$ begin
      insert into public.claim
      select count(*), (select count(*) from ops.slice where state = 'pending' and due_at is null)
      from   after join before using (slice_id) where after.state = 'running' and before.state = 'pending' having count(*) > 0;
      return null;
    end $$`);
  await stage.query(`
    create trigger note_claim after update on ops.slice referencing old table as before new table as after
    for each statement execute function public.note_claim()`);
  const request = { datasets: ["keyword_rank"] };
  const { outcome } = await stage.sync({ request, settings: { api: { concurrency: 8 } } });
  expect(outcome).toBe("loaded");
  const claims = await stage.query<{ slices: number; left_over: number }>("select slices, left_over from public.claim");
  expect(claims.reduce((sum, { slices }) => sum + slices, 0)).toBeGreaterThan(20);
  expect(claims.length).toBeGreaterThan(2);
  expect(claims.filter(({ slices, left_over }) => slices < 4 && left_over > 0)).toEqual([]);
});

const takenForSmall = `
  update pg_catalog.pg_class set reltuples = 0, relpages = pg_catalog.pg_relation_size(oid) / 8192
  where  oid = 'ops.slice'::regclass`;

test("where statistics take the ledger for small they are gathered before slices are claimed", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"] } });
  await stage.query(takenForSmall);
  await stage.sync({ request: { datasets: ["keyword_rank"] } });
  const [known] = await stage.query<{ slices: number }>(
    "select reltuples::int as slices from pg_catalog.pg_class where oid = 'ops.slice'::regclass",
  );
  expect(known?.slices).toBeGreaterThan(0);
});

test("slices are claimed all the same where statistics cannot be gathered", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"] } });
  await stage.query(takenForSmall);
  await stage.query("drop function ops.gather_slice_statistics()");
  expect(await stage.sync({ request: { datasets: ["keyword_rank"] } })).toMatchObject({ outcome: "loaded" });
});
