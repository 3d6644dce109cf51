import pg from "pg";
import { openWarehouse } from "../../src/postgres/database.ts";
import { grantRoles, type GrantedRole, type RolePasswords } from "../../src/postgres/grants.ts";
import { ownPostgresAfter, type OwnPostgres } from "./own-postgres.ts";

/** Passwords of the roles, of the length that the settings require. */
export const passwords = {
  owner: "owner-of-the-house",
  loader: "loader-of-the-house",
  reader: "reader'of\\the\"house",
} as const satisfies RolePasswords;

/** A server of the test's own with a migrated warehouse whose roles are in place. */
export type GrantedStage = AsyncDisposable & {
  readonly server: OwnPostgres;
  /** As the superuser. */
  readonly adminUrl: string;
  readonly urlOf: (role: keyof typeof passwords, database?: string) => string;
  readonly roles: readonly GrantedRole[];
};

/** Opens a server with a database that the superuser migrated, and whose roles are in place. */
export async function openGranted(): Promise<GrantedStage> {
  const { granted } = await openGrantedAfter("granted", () => Promise.resolve(null));
  return granted;
}

/** Opens one as `prepare` has left another one, once for all tests of a run that give the same name; `left` is what it returned. */
export async function openGrantedAfter<T>(
  name: string,
  prepare: (stage: GrantedStage) => Promise<T>,
): Promise<{ readonly granted: GrantedStage; readonly left: T }> {
  const { server, left } = await ownPostgresAfter(name, async (made) => {
    const url = await made.migrated();
    const warehouse = { database: new URL(url).pathname.slice(1), roles: await grant(url, passwords) };
    return { warehouse, prepared: await prepare(grantedIn(made, warehouse)) };
  });
  return { granted: grantedIn(server, left.warehouse), left: left.prepared };
}

type Warehouse = { readonly database: string; readonly roles: readonly GrantedRole[] };

function grantedIn(server: OwnPostgres, { database, roles }: Warehouse): GrantedStage {
  const adminUrl = server.urlOf(database);
  return {
    server,
    adminUrl,
    roles,
    urlOf: (role, other = adminUrl) => urlAs(other, `storehouse_${role}`, passwords[role]),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** `storehouse grants` without its command line. */
export async function grant(url: string, given: RolePasswords = {}): Promise<readonly GrantedRole[]> {
  await using warehouse = await openWarehouse(url, 3);
  return await grantRoles(warehouse.db, given);
}

/** The same database, another role. */
export function urlAs(database: string, user: string, password: string): string {
  const url = new URL(database);
  [url.username, url.password] = [user, encodeURIComponent(password)];
  return url.href;
}

/** Runs each of the statements by itself, on one connection after `first`, and returns of each the rows, or the SQLSTATE it was refused with. */
export async function triedEach(
  url: string,
  statements: readonly string[],
  first = "",
): Promise<readonly (readonly unknown[] | string)[]> {
  const client = new pg.Client({ connectionString: url });
  const ends: (readonly unknown[] | string)[] = [];
  try {
    await client.connect();
    await client.query(first);
    for (const statement of statements) ends.push(await endOf(client, statement));
    return ends;
  } finally {
    await client.end();
  }
}

async function endOf(client: pg.Client, statement: string): Promise<readonly unknown[] | string> {
  try {
    return (await client.query(statement)).rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.code ?? "none";
    throw error;
  }
}

/** Runs statements one after the other on a connection of its own and returns the rows of the last, or the SQLSTATE it was refused with. */
export async function tried(url: string, ...statements: readonly string[]): Promise<readonly unknown[] | string> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    let rows: readonly unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.code ?? "none";
    throw error;
  } finally {
    await client.end();
  }
}
