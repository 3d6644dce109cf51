import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** A mart as a query in the dialect of ClickHouse. */
export type MartView = {
  readonly mart: string;
  readonly query: string;
  /** Relations that it reads, with their schemas. */
  readonly reads: readonly string[];
};

const folder = path.join(import.meta.dirname, "views");

/** The marts that are views in ClickHouse, each after those that it reads. */
export function martViews(): readonly MartView[] {
  const views = readdirSync(folder)
    .sort()
    .map((file) => {
      const query = readFileSync(path.join(folder, file), "utf8").trim();
      const reads = [...query.matchAll(/\b(?:core|mart|ops)\.\w+/g)].map(([name]) => name);
      return { mart: `mart.${path.basename(file, ".sql")}`, query, reads: [...new Set(reads)] };
    });
  const ordered: MartView[] = [];
  const add = (view: MartView): void => {
    for (const read of views.filter(({ mart }) => view.reads.includes(mart) && mart !== view.mart)) add(read);
    if (!ordered.includes(view)) ordered.push(view);
  };
  views.forEach(add);
  return ordered;
}
