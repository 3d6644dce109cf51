import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { addDays, isDay, type Day } from "../core/day.ts";
import { fail, messageOf } from "../core/errors.ts";
import type { Window } from "../core/window.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { databaseOutage, isLostConnection, isPoolBusy } from "../postgres/database-errors.ts";
import { reprocesses } from "../plan/missing.ts";
import { readStatementCoverage } from "./statement-coverage.ts";
import { answerOf } from "./answer.ts";
import { describeRelation, listRelations, readSchemas } from "./describe.ts";
import type { ServerParts } from "./parts.ts";
import { priceOf } from "./price.ts";
import { statementDays } from "./statement-days.ts";

const instructions = `Storehouse keeps app-store data in Postgres and knows which of it was requested and loaded. Start with list_marts, then describe_mart,
then query. Every answer comes with coverage: if is_complete is false, a missing row is unknown, not zero, so say so. A keyword that was requested but not
ranked has a row with a null rank. Nothing here requests data or spends credits: price_backfill only shows a price and the command that a person may run.`;

const DayText = z.string().refine((text): text is Day => isDay(text), "a day has the form YYYY-MM-DD");
const from = DayText.optional().describe("First day of the coverage, inclusive, YYYY-MM-DD.");
const to = DayText.optional().describe("Last day of the coverage, inclusive, YYYY-MM-DD.");
const apps = z
  .array(z.string())
  .default([])
  .describe("Only these apps of the portfolio, by track id; all apps if empty.");
const countries = z
  .array(z.string())
  .default([])
  .describe("Only these countries of the portfolio; all countries if empty.");
const datasets = z.array(z.string()).min(1).describe("Names of datasets, as describe_mart lists them.");

/** None of the tools writes, requests or spends. */
const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const;

/** The server with its tools, for one connection of a client. */
export function createMcpServer(parts: ServerParts): McpServer {
  const server = new McpServer({ name: "storehouse", version: parts.version }, { instructions });
  addReading(server, parts);
  addPlanning(server, parts);
  return server;
}

function addReading(server: McpServer, parts: ServerParts): void {
  server.registerTool(
    "list_marts",
    {
      title: "List marts",
      description:
        "The tables and views of a schema, each with its description: mart is for analysts, core has the facts, ops has the ledger.",
      inputSchema: { schema: z.enum(readSchemas).default("mart") },
      annotations,
    },
    ({ schema }) => reply(parts, () => listRelations(parts.db, schema)),
  );
  server.registerTool(
    "describe_mart",
    {
      title: "Describe a mart",
      description:
        "The columns of a table or view with their types and meanings, its key, and the datasets whose rows it shows.",
      inputSchema: {
        name: z.string().describe("Name with or without its schema, for example mart.keyword_rank_daily."),
      },
      annotations,
    },
    ({ name }) => reply(parts, () => describeRelation(parts.db, name, parts.settings)),
  );
  const { rows, seconds, kib } = parts.settings.mcp;
  server.registerTool(
    "query",
    {
      title: "Run a read-only statement",
      description: `Runs one select on Postgres as a read-only role: at most ${rows} rows, ${seconds} seconds, about ${kib} KiB. The answer includes the coverage of the days that the statement is about; from, to, apps and countries narrow that coverage but do not filter rows.`,
      inputSchema: {
        sql: z.string().min(1).max(100_000),
        rows: z.int().min(1).optional().describe(`Maximum number of rows, up to ${rows}.`),
        from,
        to,
        apps,
        countries,
      },
      annotations,
    },
    ({ sql, ...rest }, { signal }) => reply(parts, () => answerOf(parts, { statement: sql, ...inOrder(rest) }, signal)),
  );
}

function addPlanning(server: McpServer, parts: ServerParts): void {
  const { db, settings, clock } = parts;
  server.registerTool(
    "coverage",
    {
      title: "Coverage and freshness",
      description:
        "Which cells of the given datasets are loaded, empty, missing, failed or waiting on the given days (by default the last 28), and how fresh the datasets are.",
      inputSchema: { datasets, from, to, apps, countries },
      annotations,
    },
    ({ datasets: names, apps: ownApps, countries: ownCountries, ...given }) =>
      reply(parts, () => {
        const today = clock.today();
        const { window } = statementDays({ given: inOrder(given), today });
        const named = { apps: ownApps, countries: ownCountries };
        return readStatementCoverage(db, {
          datasets: names.map((name) => datasetNamed(name).name),
          window,
          named,
          settings,
          today,
        });
      }),
  );
  server.registerTool(
    "price_backfill",
    {
      title: "Price of a backfill",
      description:
        "What it would cost to load missing history: slices, requests and credits, and the command for a person to run. Spends nothing.",
      inputSchema: {
        datasets,
        from: from.describe("First day, inclusive; if left out, the history of each dataset."),
        to: to.describe("Last day, inclusive; if left out, the newest published day."),
        apps,
        countries,
        reprocess: z.enum(reprocesses).default("missing"),
        max_credits: z.int().min(0).optional().describe("Credit limit: the plan is cut to what fits within it."),
      },
      annotations,
    },
    ({ datasets: names, max_credits: most, from: first, to: last, ...rest }) =>
      reply(parts, () =>
        priceOf(parts, {
          ...rest,
          datasets: names,
          bounds: bounds(inOrder({ from: first, to: last })),
          newestFirst: false,
          mostCredits: most ?? null,
        }),
      ),
  );
}

type GivenDays = { readonly from?: Day | undefined; readonly to?: Day | undefined };

/** Returns the arguments. Throws `bad_argument` if the days are out of order, since no day is between them. */
function inOrder<T extends GivenDays>(given: T): T {
  const { from: first, to: last } = given;
  if (first === undefined || last === undefined || first <= last) return given;
  throw fail("bad_argument", { problem: `from (${first}) is after to (${last})` });
}

function bounds({ from: first, to: last }: GivenDays): Partial<Window> {
  return {
    ...(first === undefined ? {} : { start: first }),
    ...(last === undefined ? {} : { end: addDays(last, 1) }),
  };
}

/** The result of a tool as structured content and as text; an error in a form that the model can read and correct. */
async function reply(
  { hide }: Pick<ServerParts, "hide">,
  work: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<CallToolResult> {
  try {
    const result = await work();
    return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result };
  } catch (error) {
    const text = messageOf(inWords(error));
    return { content: [{ type: "text", text: hide(text) }], isError: true };
  }
}

/** The driver's errors about connections as ours. A client may send more calls at once than there are connections. */
function inWords(error: unknown): unknown {
  if (isPoolBusy(error)) return fail("mcp_busy", {}, error);
  return isLostConnection(error) ? databaseOutage(error) : error;
}
