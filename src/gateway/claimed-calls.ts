import type { IngestParts } from "../ingest/ingest-parts.ts";
import { isAlive } from "../ledger/workers.ts";
import { messageOf } from "../core/errors.ts";
import { backoffMs, type Backoff } from "../core/retry.ts";
import { instant, sql, type SqlFragment } from "../postgres/sql.ts";

/** A call is claimed for at most this long; a longer one may be sent by another gateway as well. */
const claimedForMs = 10 * 60_000;
/** How often to check a call that another gateway has claimed. */
const checks: Backoff = { firstMs: 20, longestMs: 500 };

/** A claimed call: its text, its caller, and its expected cost in credits. */
type ClaimedCall = { readonly callHash: string; readonly caller: string; readonly credits: number };

type Parts = Pick<IngestParts, "db" | "clock" | "workerId" | "halted" | "log" | "scrub">;

/**
 * Does work for a call while no other gateway of the warehouse does the same, and then releases the call. `found` is checked first, and
 * after each wait for another gateway: the answer that it stored is used. The claim of a dead process does not count.
 */
export async function asOnlyOne<T>(
  parts: Parts,
  call: ClaimedCall,
  { found, work }: { readonly found: (hasWaited: boolean) => Promise<T | null>; readonly work: () => Promise<T> },
): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    const known = await found(waits > 0);
    if (known !== null) return known;
    if (await claim(parts, call)) break;
    await parts.clock.sleep(backoffMs(checks, waits + 1), parts.halted);
  }
  try {
    // another gateway may have stored it between the check and the claim
    return (await found(true)) ?? (await work());
  } finally {
    await release(parts, call);
  }
}

/** Releases a call. If this fails, its answer is passed on all the same, and the claim expires. */
async function release({ db, workerId, log, scrub }: Parts, { callHash }: ClaimedCall): Promise<void> {
  try {
    await sql`delete from ops.gateway_call where call_hash = decode(${callHash}, 'hex') and worker_id = ${workerId}::bigint`.execute(
      db,
    );
  } catch (error) {
    log.warn({ problem: scrub(messageOf(error)) }, "gateway.not_released");
  }
}

/** The expected cost in credits of a caller's calls that other gateways have under way, in all accounts, as `leftOfDay` counts. */
export async function claimedElsewhere(
  { db, clock, workerId }: Pick<Parts, "db" | "clock" | "workerId">,
  caller: string,
): Promise<number> {
  const { rows } = await sql<{ credits: number }>`
    select coalesce(sum(c.credits), 0)::float8 as credits
    from   ops.gateway_call as c
    where  c.caller = ${caller} and c.worker_id <> ${workerId}::bigint and not ${isExpired(clock)}`.execute(db);
  return rows[0]?.credits ?? 0;
}

/** SQL: true for a claim `c` of a dead process, or one that was made long ago. */
function isExpired(clock: Parts["clock"]): SqlFragment<boolean> {
  return sql<boolean>`(not ${isAlive(sql`c.worker_id`)} or c.claimed_at < ${instant(clock.now() - claimedForMs)})`;
}

/** Deletes claims that do not count any more: killed gateways left them. */
export async function deleteExpiredClaims({ db, clock }: Pick<Parts, "db" | "clock">): Promise<void> {
  await sql`delete from ops.gateway_call as c where ${isExpired(clock)}`.execute(db);
}

async function claim({ db, clock, workerId }: Parts, { callHash, caller, credits }: ClaimedCall): Promise<boolean> {
  const { rows } = await sql`
    insert into ops.gateway_call as c (call_hash, worker_id, claimed_at, caller, credits)
    values (decode(${callHash}, 'hex'), ${workerId}::bigint, ${instant(clock.now())}, ${caller}, ${credits})
    on conflict (call_hash) do update
    set    worker_id = excluded.worker_id, claimed_at = excluded.claimed_at, caller = excluded.caller, credits = excluded.credits
    -- its own: the database was away when that call ended, since equal calls of one process are one
    where  c.worker_id = excluded.worker_id or ${isExpired(clock)}
    returning 1`.execute(db);
  return rows.length > 0;
}
