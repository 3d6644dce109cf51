import type { Settings } from "../config/settings.ts";
import { StorehouseError } from "../core/errors.ts";
import type { Database } from "../postgres/database.ts";
import { namedRelations } from "../postgres/named-relations.ts";
import { readRelations } from "../postgres/relations.ts";
import { failure, pass, type Diagnosis } from "./diagnosis.ts";

/** Whether each name under `export.tables` is a table or view, which only the database knows; null before the migrations have run. */
export async function checkExport(db: Database, { tables }: Settings["export"]): Promise<Diagnosis | null> {
  const all = await readRelations(db);
  if (all.length === 0) return null;
  try {
    return pass("export", `${namedRelations(all, tables).length} tables and views`);
  } catch (error) {
    if (!(error instanceof StorehouseError)) throw error;
    return failure("export", `export.tables: ${error.problem}`, "correct export.tables in config/storehouse.yaml");
  }
}
