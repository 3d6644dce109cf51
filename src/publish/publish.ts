import type pg from "pg";
import { fail, StorehouseError, messageOf } from "../core/errors.ts";
import { openParquetWriter } from "../export/parquet.ts";
import { openSnapshot } from "../export/snapshot.ts";
import { diskProblem, openWorkFolder, unusableTemporaryFolder } from "../export/work-folder.ts";
import { tryLockUntilCommit } from "../postgres/advisory-lock.ts";
import { databaseOn, type Warehouse } from "../postgres/database.ts";
import { databaseOutage, isLostConnection } from "../postgres/database-errors.ts";
import { namedRelations } from "../postgres/named-relations.ts";
import { readRelations, type Relation } from "../postgres/relations.ts";
import type { ClickHouse } from "./clickhouse.ts";
import { martViews, type MartView } from "./mart-views.ts";
import { publishTable, staging, type Published, type Publisher } from "./publish-table.ts";
import { checkOrigin, prepare, readPublished } from "./published-months.ts";
import { createView } from "./statements.ts";
import { readTables } from "./tables-there.ts";

/** Options of a publication. `onTable` is called with each table as soon as it is done. */
type PublishOptions = Pick<Publisher, "now" | "signal" | "onLost"> & {
  readonly onTable?: (done: Published) => void;
  /** Only the relations that these names mean, and those that marts among them read; all if left out. */
  readonly only?: readonly string[];
};

/** The results for the tables, and the marts that are views. */
export type PublishReport = { readonly tables: readonly Published[]; readonly views: readonly string[] };

/**
 * Publishes the tables of core and all marts to a ClickHouse, all from one moment of the database: months whose rows changed are swapped.
 * Marts are views in its dialect; those without such a view are tables that Postgres computes. Throws `unknown_table` if a name means none.
 */
export async function publish(
  { db, pool }: Warehouse,
  clickHouse: ClickHouse,
  { onTable, only, ...options }: PublishOptions,
): Promise<PublishReport> {
  const views = martViews();
  const found = await readRelations(db);
  const named = only === undefined ? null : withWhatIsRead(views, namedRelations(found, only));
  const all = named === null ? found : found.filter(({ name }) => named.has(name));
  const isViewThere = ({ name }: Relation) => views.some(({ mart }) => mart === name);
  const isRead = ({ name }: Relation) => views.some(({ reads }) => reads.includes(name));
  const wanted = all.filter((relation) => (relation.schema === "ops" ? isRead(relation) : !isViewThere(relation)));
  await prepare(clickHouse);
  await using opened = new AsyncDisposableStack();
  const { client } = opened.use(await openSnapshot(pool, "read write"));
  if (!(await tryLockUntilCommit(databaseOn(client), "publish"))) throw fail("publish_under_way");
  const { work } = opened.use(await openWorkFolder("storehouse-publish-"));
  const parquet = opened.use(await openParquetWriter(work));
  await checkOrigin(clickHouse, await originOf(client));
  const { byTable: before, latest } = await readPublished(clickHouse);
  const known = { there: await readTables(clickHouse), before };
  // the newest record of a month counts, also after a clock that was ahead
  const now = () => Math.max(options.now(), latest + 1);
  const tables: Published[] = [];
  for (const relation of wanted) {
    const one = await publishTable(
      { ...options, ...known, now, clickHouse, writer: { client, parquet, work } },
      relation,
    ).catch((error: unknown) => {
      // a stop is no failure
      throw options.signal?.aborted ? error : publishProblem(relation, error);
    });
    tables.push(one);
    onTable?.(one);
  }
  if (tables.some(({ swapped }) => swapped > 0)) await clickHouse.run(`drop table if exists ${staging} sync`);
  const made: string[] = [];
  for (const { mart, query } of views) {
    const relation = all.find(({ name }) => name === mart);
    if (relation === undefined) continue;
    await clickHouse.run(createView(relation, query));
    made.push(mart);
  }
  return { tables, views: made };
}

/** When the first migration of a Postgres ran, in microseconds. */
async function originOf(client: pg.PoolClient): Promise<string> {
  const { rows } = await client.query<{ origin: string }>(
    "select (extract(epoch from min(ran_at)) * 1000000)::bigint::text as origin from ops.migration",
  );
  return rows[0]?.origin ?? "";
}

/** Names of relations, and of those that views among them read: published alone, a view would find them missing or outdated. */
function withWhatIsRead(views: readonly MartView[], relations: readonly Relation[]): ReadonlySet<string> {
  const found = new Set(relations.map(({ name }) => name));
  // each view comes after those that it reads
  for (const { mart, reads } of views.toReversed()) if (found.has(mart)) for (const read of reads) found.add(read);
  return found;
}

function publishProblem({ name }: Relation, error: unknown): unknown {
  if (error instanceof StorehouseError) return error;
  if (isLostConnection(error)) return databaseOutage(error);
  const cause = diskProblem(error);
  if (cause !== null) return unusableTemporaryFolder(cause, error);
  const problem = messageOf(error).split("\n")[0] ?? "";
  return fail("publish_failed", { table: name, problem }, error);
}
