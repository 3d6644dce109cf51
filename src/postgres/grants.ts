import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { sql } from "./sql.ts";
import { DatabaseError, escapeIdentifier, escapeLiteral } from "pg";
import { fail } from "../core/errors.ts";
import { withAdvisoryLock } from "./advisory-lock.ts";
import { isMissingRight } from "./database-errors.ts";
import type { Database } from "./database.ts";
import { handOver, makeRoles, roles, setDatabase, setRights } from "./role-statements.ts";

/** The state of a role: whether it may log in, and whether it has more rights on the server than our roles should. */
export type GrantedRole = { readonly name: string; readonly canLogin: boolean; readonly hasAdminRights: boolean };

/** New passwords by role; a role without one keeps its current password, or none. */
export type RolePasswords = Readonly<Partial<Record<keyof typeof roles, string>>>;

/**
 * Makes missing roles, gives the warehouse to its owner and sets all rights. May run at any time; needs at least two connections. Throws
 * `roles_refused` if the connected role may not do that.
 */
export async function grantRoles(db: Database, passwords: RolePasswords): Promise<readonly GrantedRole[]> {
  const setPasswords = Object.entries(passwords).map(([key, password]) => {
    const name = escapeIdentifier(roles[key as keyof typeof roles]);
    return `alter role ${name} login password ${escapeLiteral(scramVerifier(password))}`;
  });
  try {
    return await withAdvisoryLock(db, "migrate", async () => {
      for (const statement of [makeRoles, setDatabase, ...setPasswords]) await withTries(() => run(db, statement));
      await run(db, handOver);
      await run(db, setRights);
      return granted(db);
    });
  } catch (error) {
    // the statement may contain a verifier: the server's message about a right names only the object
    throw isMissingRight(error) ? fail("roles_refused", { problem: error.message }) : error;
  }
}

/** After a migration, in a database that has the roles: gives new objects to the owner, and the other roles their rights to them. */
export async function renewRights(db: Database): Promise<void> {
  const { rows } = await sql`
    select from pg_catalog.pg_namespace as n join pg_catalog.pg_roles as r on r.oid = n.nspowner
    where  n.nspname = 'ops' and r.rolname = ${roles.owner}`.execute(db);
  if (rows.length === 0) return;
  await run(db, handOver);
  await run(db, setRights);
}

async function granted(db: Database): Promise<readonly GrantedRole[]> {
  const { rows } = await sql<GrantedRole>`
    select rolname as name, rolcanlogin as "canLogin", rolsuper or rolcreaterole or rolbypassrls or rolcreatedb as "hasAdminRights"
    from   pg_catalog.pg_roles where rolname in (${sql.join(Object.values(roles))}) order by array_position(${Object.values(roles)}::name[], rolname)`.execute(
    db,
  );
  return rows;
}

async function run(db: Database, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}

/** Codes when the setup of another warehouse on the same server changes the same role at the same moment. */
const clashes = new Set(["23505", "42710", "XX000", "40P01"]);
const mostTries = 5;

async function withTries(work: () => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (tried === mostTries || !(error instanceof DatabaseError) || !clashes.has(error.code ?? "")) throw error;
    }
  }
}

/** The default of Postgres. */
const iterations = 4096;

/**
 * The verifier that Postgres stores for a password (SCRAM-SHA-256, RFC 5802): if a statement contains it, the password itself is in no log
 * of the server and not in pg_stat_activity. The password must be plain ASCII: clients encode other characters differently.
 */
function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const stored = createHash("sha256").update(keyed(salted, "Client Key")).digest("base64");
  const server = keyed(salted, "Server Key").toString("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${stored}:${server}`;
}

function keyed(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
