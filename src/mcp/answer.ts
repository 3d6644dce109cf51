import { readRelationDatasets } from "../planner/relation-datasets.ts";
import type { NamedScopes } from "../core/partition-group.ts";
import type { Day } from "../core/day.ts";
import { martShapes } from "../postgres/mart-shapes.ts";
import { readRelations, type Relation } from "../postgres/relations.ts";
import { readStatementCoverage } from "./statement-coverage.ts";
import type { ServerParts } from "./parts.ts";
import { doOtherAccountsHaveMore } from "./other-accounts.ts";
import { relationsNamed } from "./relations-named.ts";
import { runStatement } from "./run-statement.ts";
import { choosesDays, leavesRowsOut, readsOnly } from "./statement-bounds.ts";
import { statementDays, type StatementDays } from "./statement-days.ts";
import { accountOf, accountWords } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { lastDay, type Window } from "../core/window.ts";

/** A statement, and what narrows the coverage shown with its answer. */
export type Question = NamedScopes & {
  readonly statement: string;
  readonly rows?: number | undefined;
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
};

/** What a statement reads, as far as known. */
type Read = {
  readonly statement: string;
  readonly relations: readonly Relation[];
  readonly days: StatementDays;
  readonly named: NamedScopes;
};

/** Runs a statement as the reader until `signal` is aborted, and reads the coverage of the relations that it names for its days. */
export async function answerOf(
  parts: ServerParts,
  { statement, rows, from, to, apps, countries }: Question,
  signal: AbortSignal,
) {
  const { db, settings, clock } = parts;
  const { mcp } = settings;
  const limits = { rows: Math.min(rows ?? mcp.rows, mcp.rows), ms: mcp.seconds * 1000, bytes: 2 * mcp.kib * 1024 };
  const answer = await runStatement(parts.reader, statement, limits, signal);
  const relations = relationsNamed(statement, await readRelations(db));
  const known = await readRelationDatasets(db, { ofDays: true });
  const datasets = [...new Set(relations.flatMap(({ name }) => known.get(name) ?? []))];
  const today = clock.today();
  const days = statementDays({ given: { from, to }, statement, answer, today });
  const named = { apps, countries };
  const guessed = await guessedOf(parts, { statement, relations, days, named });
  const coverage = await readStatementCoverage(db, {
    datasets,
    window: days.window,
    guessed,
    isCut: answer.isCut || leavesRowsOut(statement, answer.rows.length),
    named,
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

/** A sentence about what is read without coverage; null if nothing is. */
async function guessedOf(
  { db, settings }: ServerParts,
  { statement, relations, days, named }: Read,
): Promise<string | null> {
  const newest = relations.filter(({ schema, table }) => schema === "mart" && martShapes[table]?.isNewest === true);
  if (newest.length > 0 && choosesDays(statement)) return newestWords(newest.map(({ name }) => name));
  if (!days.isExact || !readsOnly(statement, named)) return guessWords(days.window, named);
  return (await doOtherAccountsHaveMore(db, named, settings)) ? othersWords(settings) : null;
}

/** What the coverage is about if the statement may read more, and what to do then. */
function guessWords(window: Window, { apps, countries }: NamedScopes): string {
  const [from, to] = [window.start, lastDay(window)];
  return apps.length + countries.length === 0
    ? `Coverage is for ${from} to ${to}, but the statement may read other days: pass from and to for the days that it reads.`
    : `Coverage is for ${from} to ${to} and for the passed apps and countries, but the statement may read others: filter its date_day, track_id and country_code by the same values.`;
}

/** What a missing row means in a mart that has only the newest rows. */
function newestWords(marts: readonly string[]): string {
  return `${marts.join(" and ")} ${marts.length === 1 ? "has" : "have"} only the newest day of each keyword: a missing row for another day says nothing about that day.`;
}

/** What the coverage is about if other accounts have more in the warehouse. */
function othersWords(settings: Pick<Settings, "portfolio">): string {
  return `Coverage is for what ${accountWords(accountOf(settings))} has, but the statement may read apps and countries that only other accounts have: pass apps and countries, and filter track_id and country_code by the same values.`;
}
