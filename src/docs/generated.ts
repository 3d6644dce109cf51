import { readFile } from "node:fs/promises";
import path from "node:path";
import { projectRoot } from "../config/config.ts";
import { readRelations, type Relation } from "../postgres/relations.ts";
import type { Database } from "../postgres/database.ts";
import { columnsPage } from "./columns-page.ts";
import { commandsPage } from "./commands-page.ts";
import { configurationPage } from "./configuration-page.ts";
import { accountCost, accountSizes, type AccountCost } from "./costs.ts";
import { costsPage, costSummary } from "./costs-page.ts";
import { datasetsPage } from "./datasets-page.ts";
import { martsPage } from "./marts-page.ts";
import { roomsTable } from "./rooms.ts";
import { schemaText } from "./schema-text.ts";
import { settingsSchema } from "./settings-schema.ts";
import { errorsPage, eventsPage, incidentsPage, metricsPage, operationsPage } from "./reference-pages.ts";

/**
 * An empty warehouse, its tables and views from the catalogue, and what accounts of the three sizes cost, which takes seconds to calculate.
 */
type Sources = {
  readonly db: Database;
  readonly relations: readonly Relation[];
  readonly costs: readonly AccountCost[];
};

/** The function that makes each generated file, by its path in the project. */
const makers: Readonly<Record<string, (sources: Sources) => string | Promise<string>>> = {
  "docs/commands.md": commandsPage,
  "docs/configuration.md": configurationPage,
  "docs/datasets.md": datasetsPage,
  "docs/marts.md": ({ relations }) => martsPage(relations),
  "docs/reference/columns.md": ({ relations }) => columnsPage(relations),
  "docs/reference/costs.md": ({ costs }) => costsPage(costs),
  "docs/reference/errors.md": errorsPage,
  "docs/reference/events.md": eventsPage,
  "docs/reference/incidents.md": incidentsPage,
  "docs/reference/metrics.md": metricsPage,
  "docs/reference/operations.md": operationsPage,
  "config/storehouse.schema.json": settingsSchema,
  "migrations/schema.sql": ({ db }) => schemaText(db),
  "CONTRIBUTING.md": () => withBlock("CONTRIBUTING.md", "rooms", roomsTable()),
  "README.md": ({ costs }) => withBlock("README.md", "costs", costSummary(costs)),
};

/** A generated file: its path in the project and its required text. */
export type GeneratedFile = { readonly file: string; readonly text: string };

/** Every generated file as it must be; `db` is an empty warehouse. */
export async function generatedFiles(db: Database): Promise<readonly GeneratedFile[]> {
  const costs = await Promise.all(accountSizes.map(accountCost));
  const sources = { db, relations: await readRelations(db), costs };
  return Promise.all(Object.entries(makers).map(async ([file, make]) => ({ file, text: await make(sources) })));
}

/** A page with one generated block between its marks; the rest is written by hand. */
async function withBlock(file: string, name: string, block: string): Promise<string> {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const text = await readFile(path.join(projectRoot, file), "utf8");
  const [before = "", rest = ""] = text.split(begin);
  const [, after = ""] = rest.split(end);
  return `${before}${begin}\n\n${block}\n\n${end}${after}`;
}
