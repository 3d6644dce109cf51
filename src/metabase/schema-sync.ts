import type { Clock } from "../core/clock.ts";
import { fail } from "../core/errors.ts";
import type { Relation } from "../postgres/relations.ts";
import { entryName } from "./database-entry.ts";
import { finderOf, readMetadata, type FieldFinder } from "./metadata.ts";
import type { Remote } from "./remote.ts";

/** How long to wait for Metabase to read the schema, and where to report it. */
export type Waiting = { readonly clock: Clock; readonly seconds: number; readonly say: (line: string) => void };

const pollMs = 1000;

/**
 * Makes sure that Metabase knows the tables and columns of the warehouse: if one is missing, makes it read the schema, and waits. A table
 * in `needed` that Metabase does not find is an error; other missing ones are counted and reported.
 */
export async function syncSchema(
  remote: Remote,
  databaseId: number,
  {
    tables,
    needed,
    waiting,
  }: { readonly tables: readonly Relation[]; readonly needed: ReadonlySet<string>; readonly waiting: Waiting },
): Promise<FieldFinder> {
  let finder = finderOf(await readMetadata(remote, databaseId));
  let missing = missingIn(finder, tables);
  if (missing.length === 0) return finder;
  const path = `/api/database/${databaseId}/sync_schema`;
  await remote.write({
    what: "schema",
    name: entryName,
    action: "update",
    properties: missing.slice(0, 5),
    method: "POST",
    path,
    body: {},
  });
  if (remote.isDryRun) return finder;
  const { clock, seconds, say } = waiting;
  const until = clock.now() + seconds * 1000;
  say(`Metabase is reading the schema; waiting up to ${seconds} seconds.`);
  while (missing.length > 0 && clock.now() < until) {
    await clock.sleep(pollMs);
    finder = finderOf(await readMetadata(remote, databaseId));
    missing = missingIn(finder, tables);
  }
  const lacking = missing.find((name) => needed.has(name.split(".").slice(0, 2).join(".")));
  if (lacking !== undefined) throw fail("metabase_missing_table", { what: lacking, seconds });
  if (missing.length > 0) say(`Metabase did not find ${missing.length} tables or columns, among them ${missing[0]}.`);
  return finder;
}

function missingIn(finder: FieldFinder, tables: readonly Relation[]): readonly string[] {
  return tables.flatMap(({ name, columns }) => {
    if (finder.table(name) === undefined) return [name];
    return columns
      .filter((column) => finder.field(name, column.name) === undefined)
      .map((column) => `${name}.${column.name}`);
  });
}
