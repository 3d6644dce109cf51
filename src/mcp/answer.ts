import { readRelationDatasets } from "../planner/relation-datasets.ts";
import type { NamedScopes } from "../planner/named-coverage.ts";
import type { Day } from "../core/day.ts";
import { martShapes } from "../postgres/mart-shapes.ts";
import { readRelations } from "../postgres/relations.ts";
import { readCoverageBeside } from "./coverage-beside.ts";
import type { ServerParts } from "./parts.ts";
import { relationsNamed } from "./relations-named.ts";
import { runStatement } from "./run-statement.ts";
import { choosesDays, readsOnly } from "./statement-bounds.ts";
import { statementDays } from "./statement-days.ts";

/** A statement, and what narrows the coverage that stands beside its answer. */
export type Question = NamedScopes & {
  readonly statement: string;
  readonly rows?: number | undefined;
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
};

/** Runs a statement as the reader, and reads the coverage of what it names for the days that it is about. */
export async function answerOf(parts: ServerParts, { statement, rows, from, to, apps, countries }: Question) {
  const { db, settings, clock } = parts;
  const { mcp } = settings;
  const answer = await runStatement(parts.reader, statement, {
    rows: Math.min(rows ?? mcp.rows, mcp.rows),
    ms: mcp.seconds * 1000,
    bytes: 2 * mcp.kib * 1024,
  });
  const relations = relationsNamed(statement, await readRelations(db));
  const known = await readRelationDatasets(db);
  const datasets = [...new Set(relations.flatMap(({ name }) => known.get(name) ?? []))];
  const today = clock.today();
  const days = statementDays({ given: { from, to }, statement, answer, today });
  const newest = relations.filter(({ schema, table }) => schema === "mart" && martShapes[table]?.isNewest === true);
  const coverage = await readCoverageBeside(db, {
    datasets,
    window: days.window,
    isExact: days.isExact && readsOnly(statement, { apps, countries }),
    newestAlone: choosesDays(statement) ? newest.map(({ name }) => name) : [],
    named: { apps, countries },
    settings,
    today,
  });
  return {
    columns: answer.columns,
    rows: answer.rows,
    row_count: answer.rows.length,
    is_cut: answer.isCut,
    reads: relations.map(({ name }) => name),
    coverage: { ...coverage, days_from: days.from },
  };
}
