import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { claimNext, gatherStatistics, wakeDue } from "../../src/ledger/queue.ts";
import { sharedQueue } from "../../src/ledger/shared-queue.ts";
import { endAttempts } from "../../src/ledger/slices.ts";
import { endUnchanged } from "../../src/ledger/unchanged-answers.ts";
import type { Database } from "../../src/postgres/database.ts";
import { findByKey } from "../../src/postgres/plan-hints.ts";
import { sql } from "../../src/postgres/sql.ts";
import { draft, ending, now, openLedgerStage } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

/*
 * Statistics are mostly gathered while no slice is running. The ends of attempts are not to read the whole ledger then.
 */

const stage = forTests(openLedgerStage);

const [waiting, claimed, ended, loaded] = [1_200, 300, 100, 10_000];

test("attempts end by the numbers of their slices where statistics know of no running one", async () => {
  const workerId = await stage.alive();
  const run = await stage.run();
  const digestOf = (place: number) => place.toString(16).padStart(64, "0");
  await stage.insert(run, ...Array.from({ length: waiting }, (_, app) => draft({ scope: { app: String(app) } })));
  await sql`analyze ops.slice`.execute(stage.db);
  const slices = await claimNext(stage.db, { queueId: sharedQueue, workerId }, { most: claimed, now });
  const first = slices
    .slice(0, ended)
    .map((slice, place) => ({ slice, ending: { ...ending, answerDigest: digestOf(place) } }));
  const others = slices.slice(ended, 2 * ended).map((slice, place) => ({ slice, digest: digestOf(place) }));
  expect(await read((transaction) => endAttempts(transaction, first, now))).toEqual({ size: ended, isFew: true });
  expect(await read((transaction) => endUnchanged(transaction, others, now))).toEqual({ size: ended, isFew: true });
});

test("an answer is compared with earlier ones by its digest alone where there are no statistics", async () => {
  const workerId = await stage.alive();
  const drafts = Array.from({ length: ended }, (_, app) => draft({ scope: { app: `again ${app}` } }));
  const run = await stage.run();
  await stage.insert(run, ...drafts);
  await sql`
    insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                           planned_credits, run_id, created_at)
    select dataset, operation, jsonb_build_object('app', 'other ' || n), window_start, window_end, as_of, fingerprint, class, state, 1, 1, run_id, created_at
    from   (select * from ops.slice where run_id = ${run} limit 1) as s, generate_series(1, ${loaded}) as n`.execute(
    stage.db,
  );
  // as in the first minute of a database, before the first autovacuum
  await sql`delete from pg_catalog.pg_statistic where starelid = 'ops.slice'::regclass`.execute(stage.db);
  await sql`
    update ops.slice set state = 'loaded', ended_at = ${new Date(now)}, answer_digest = sha256((scope ->> 'app')::bytea)`.execute(
    stage.db,
  );
  await stage.insert(await stage.run(), ...drafts);
  const slices = await claimNext(stage.db, { queueId: sharedQueue, workerId }, { most: ended, now });
  const attempts = slices.map((slice) => ({ slice, digest: hash("sha256", slice.scope["app"] ?? "") }));
  expect(await read((transaction) => endUnchanged(transaction, attempts, now), noHints)).toEqual({
    size: ended,
    isFew: true,
  });
});

test("a ledger that statistics take for small is known, and gathering them mends it", async () => {
  const run = await stage.run();
  await stage.insert(run, draft());
  // as autovacuum leaves it that comes by while a plan is being queued
  await sql`
    update pg_catalog.pg_class set reltuples = 1, relpages = pg_catalog.pg_relation_size(oid) / 8192
    where  oid = 'ops.slice'::regclass`.execute(stage.db);
  expect(await wakeDue(stage.db, sharedQueue, now)).toMatchObject({ ready: true, hasStaleStatistics: true });
  await gatherStatistics(stage.db);
  expect(await wakeDue(stage.db, sharedQueue, now)).toMatchObject({ ready: true, hasStaleStatistics: false });
});

test("statistics are not waited for while another session vacuums the ledger", async () => {
  await stage.db.transaction().execute(async (other) => {
    await sql`lock table ops.slice in share update exclusive mode`.execute(other);
    await expect(gatherStatistics(stage.db)).resolves.toBeUndefined();
  });
});

/** How many attempts were ended, and whether fewer entries of indexes were read than there are slices. */
async function read(work: (transaction: Database) => Promise<{ readonly size: number }>, hints = findByKey) {
  return stage.db.transaction().execute(async (transaction) => {
    await hints(transaction);
    const before = await entriesRead(transaction);
    const { size } = await work(transaction);
    return { size, isFew: (await entriesRead(transaction)) - before < waiting };
  });
}

/** As endUnchanged is called: alone, without hints for the planner. */
const noHints = () => Promise.resolve();

async function entriesRead(transaction: Database): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select sum(pg_catalog.pg_stat_get_xact_tuples_returned(indexrelid))::integer as read
    from   pg_catalog.pg_index where indrelid = 'ops.slice'::regclass`.execute(transaction);
  return rows[0]?.read ?? 0;
}
