import type { Config } from "../config/config.ts";
import { programVersion } from "../config/program.ts";
import { fail } from "../core/errors.ts";
import type { Warehouse } from "../postgres/database.ts";
import { readRelations } from "../postgres/relations.ts";
import type { TableExport } from "./export-table.ts";
import { exportTables, type TableExportRequest } from "./export-tables.ts";
import { namedRelations } from "../postgres/named-relations.ts";
import { reachOf } from "./reach.ts";

/** Options of an export that override `export` in the configuration. */
type Overrides = Partial<Pick<TableExportRequest, "within" | "out" | "format" | "signal" | "onTable">> & {
  readonly tables?: readonly string[] | undefined;
  readonly now: () => number;
};

/** Exports tables as `export` in the configuration says, except for the overrides. Throws `bad_argument` if no place is named. */
export async function exportAsConfigured(
  { db, pool }: Warehouse,
  config: Config,
  { tables, out, format, within = {}, ...others }: Overrides,
): Promise<readonly TableExport[]> {
  const { export: settings } = config.settings;
  const place = out ?? settings.to;
  if (place === undefined)
    throw fail("bad_argument", {
      problem: "no target is given: pass --out, or set export.to in config/storehouse.yaml",
    });
  return exportTables(pool, {
    ...others,
    relations: namedRelations(await readRelations(db), tables ?? settings.tables),
    within,
    out: place,
    reach: reachOf(config),
    format: format ?? settings.format,
    storehouse: programVersion(),
  });
}
