import { instant, sql } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import { wasSentFor } from "../credits/charges.ts";
import type { Scope, Slice } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";

/** An answer that is held because it would remove most members of its scope. `closing`: how many of the `current` members. */
export type HeldAnswer = {
  readonly sliceId: string;
  readonly dataset: string;
  readonly scope: Scope;
  readonly day: Day;
  readonly heldAt: Date;
  readonly current: number;
  readonly closing: number;
};

/** How many members there are, the keys of those that an answer leaves out, and when it came (epoch-ms). */
type HeldFacts = { readonly current: number; readonly closing: readonly string[]; readonly at: number };

/** What became of a held answer; see `ops.held_answer`. */
export type HeldOutcome = "agreed" | "confirmed" | "contradicted" | "superseded";

/**
 * The answers of an account that are held now, the oldest first. Apps that have left the account have none, since their lists are no longer
 * requested.
 */
export async function readHeld(db: Database, account: string): Promise<readonly HeldAnswer[]> {
  const { rows } = await sql<HeldAnswer>`
    select h.slice_id as "sliceId", h.dataset, h.scope, h.date_day as day, h.held_at as "heldAt", h.current_count as current,
           h.closing_count as closing
    from   ops.held_list as h
    where  coalesce(h.scope ->> 'account', '') = ${account}
    order  by h.slice_id`.execute(db);
  return rows;
}

/**
 * True if the answer that is held for the same scope is of an earlier day and leaves out all of these members too. If several are held, it
 * is the newest: an older one may have been imported since.
 */
export async function isHeldForSame(db: Database, slice: Slice, closing: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ same: boolean }>`
    select date_day < ${slice.window.start}::date and closing @> ${[...closing]}::text[] as same
    from   ops.held_answer
    where  ${ofScope(slice)} and outcome is null
    order  by date_day desc, held_at desc, slice_id desc limit 1`.execute(db);
  return rows[0]?.same === true;
}

/**
 * Holds an answer: its slice becomes skipped, so that it is requested again the next day. `at`: epoch-ms. `outcome`: if it is known already.
 */
export async function holdAnswer(
  db: Database,
  slice: Slice,
  { current, closing, at, outcome }: HeldFacts & { readonly outcome?: HeldOutcome | undefined },
): Promise<void> {
  const { code, message } = fail("answer_held", { closing: closing.length, current });
  await sql`
    insert into ops.held_answer (slice_id, dataset, scope, date_day, held_at, current_count, closing, outcome)
    values (${slice.sliceId}, ${slice.dataset}, ${JSON.stringify(slice.scope)}::jsonb, ${slice.window.start}, ${instant(at)}, ${current},
            ${[...closing]}::text[], ${outcome ?? null})`.execute(db);
  await sql`
    update ops.slice set state = 'skipped', error_code = ${code}, error_message = ${message}
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt}`.execute(db);
}

/**
 * Records the outcome of the answers that are held for the scope of a slice, except the slice itself and answers that came after it, which
 * an imported answer does not decide about. `at` (epoch-ms): when the answer of the slice came.
 */
export async function decideHeld(db: Database, slice: Slice, outcome: HeldOutcome, at: number): Promise<void> {
  await sql`
    update ops.held_answer set outcome = ${outcome}
    where  ${ofScope(slice)} and outcome is null and slice_id <> ${slice.sliceId} and held_at <= ${instant(at)}`.execute(
    db,
  );
}

/** True for a slice whose answer was held and not applied, according to the ledger. */
export async function wasHeld(db: Database, sliceId: string): Promise<boolean> {
  const { rows } = await sql`
    select from ops.held_answer where slice_id = ${sliceId} and outcome is distinct from 'agreed'`.execute(db);
  return rows.length > 0;
}

/** Which of these slices have an answer that is held now, and which one that a newer answer contradicts. */
export async function heldAmong(
  db: Database,
  sliceIds: readonly string[],
): Promise<ReadonlyMap<string, "held" | "contradicted">> {
  const { rows } = await sql<{ id: string; did: "held" | "contradicted" }>`
    select slice_id as id, coalesce(outcome, 'held') as did
    from   ops.held_answer
    where  slice_id = any (${[...sliceIds]}::bigint[]) and (outcome is null or outcome = 'contradicted')`.execute(db);
  return new Map(rows.map(({ id, did }) => [id, did]));
}

/** Records that a person agrees to a held answer; false if it is no longer held. To be called in the transaction that applies it. */
export async function agreeToHeld(db: Database, sliceId: string): Promise<boolean> {
  const { rows } = await sql`
    with agreed as (
      update ops.held_answer set outcome = 'agreed'
      where  slice_id = ${sliceId} and outcome is null returning slice_id
    )
    update ops.slice as s set state = 'loaded', error_code = null, error_message = null
    from   agreed where s.slice_id = agreed.slice_id
    returning s.slice_id`.execute(db);
  return rows.length > 0;
}

/** A person's command takes effect in the next answers; the longest refresh of a portfolio dataset is a week. */
const effectFor = sql`interval '8 days'`;

/**
 * True if a request of an operation with these parameters was answered to an account in the days before an instant (epoch-ms). Which class
 * it had does not matter: a caller of the gateway has one of its own.
 */
export async function wasRequestedBefore(
  db: Database,
  {
    operation,
    params,
    account,
    at,
  }: {
    readonly operation: string;
    readonly params: Readonly<Record<string, string>>;
    readonly account: string;
    readonly at: number;
  },
): Promise<boolean> {
  const { rows } = await sql`
    select from ops.request as q
    where  q.received_at between ${instant(at)} - ${effectFor} and ${instant(at)} and q.operation = ${operation} and ${wasSentFor(account)}
    and    q.status between 200 and 299 and (select jsonb_object_agg(name, value #>> '{}') from jsonb_each(q.params) as p (name, value)) @> ${JSON.stringify(params)}::jsonb
    limit  1`.execute(db);
  return rows.length > 0;
}

function ofScope({ dataset, scope }: Slice): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`dataset = ${dataset} and scope = ${JSON.stringify(scope)}::jsonb`;
}
