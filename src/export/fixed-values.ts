import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { Relation } from "../postgres/relations.ts";
import { acceptedValues } from "./dbt-sources.ts";

/** The codes that views spell out: those of the devices, which come with the migrations, and those that the apps' table lists. */
export async function fixedValues(
  db: Database,
  relations: readonly Relation[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{
    device_code: string;
  }>`select device_code from core.dim_device order by device_key`.execute(db);
  const apps = relations.find(({ name }) => name === "core.dim_app");
  return new Map([
    ["device_code", rows.map(({ device_code }) => device_code)],
    ...(apps === undefined ? [] : acceptedValues(apps)),
  ]);
}
