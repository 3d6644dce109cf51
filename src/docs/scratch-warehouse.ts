import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openWarehouse, type Database } from "../postgres/database.ts";
import { openEmbedded } from "../postgres/embedded/embedded-server.ts";
import { migrateWarehouse } from "../postgres/migrate.ts";

/** An empty, migrated warehouse on a separate Postgres; disposing removes both. */
export async function openScratchWarehouse(): Promise<{ readonly db: Database } & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.adopt(await mkdtemp(path.join(tmpdir(), "storehouse-docs-")), (made) =>
    rm(made, { recursive: true, force: true }),
  );
  const { url } = opened.use(await openEmbedded({ directory, database: "storehouse", durable: false }));
  const warehouse = opened.use(await openWarehouse(url, 3));
  await migrateWarehouse(warehouse);
  const stack = opened.move();
  return { db: warehouse.db, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
