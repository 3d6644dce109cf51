import { markdownTable } from "./page.ts";

/** A room of the source: a folder or an entry under src, or the folder jobs. */
type Room = { readonly name: string; readonly is: string; readonly mayImport: readonly string[] };

const core = ["core"];
const edges = [...core, "config", "api", "postgres", "plan", "credits"];
const middle = [...edges, "load", "raw", "datasets", "ledger"];
const story = [...middle, "planner", "ingest"];
const runs = [...story, "runs", "archive"];
const entry = [...runs, "app", "open-ingest", "jobs", "foreground", "person"];
const watch = ["alerts", "incidents", "doctor", "health"];
const surfaces = ["charts", "export", "publish", "metabase", "mcp", "sandbox"];

/**
 * Every room, with the rooms that it may import, all of which are above it. Siblings do not import one another: credits do not know HTTP,
 * the client does not know credits, plan knows neither database nor service. The sandbox is the API from the outside, so it sees operations
 * and nothing that calls them. The architecture test enforces this table, and CONTRIBUTING shows it.
 */
export const rooms: readonly Room[] = [
  { name: "core", is: "days, windows, slices, errors, clock, log, agents for HTTP", mayImport: [] },
  { name: "config", is: "turns environment and YAML into one frozen value", mayImport: core },
  { name: "api", is: "operations, client, reading answers", mayImport: core },
  { name: "postgres", is: "connection, errors, locks, migrations, roles; the embedded server", mayImport: core },
  { name: "plan", is: "pure: what is missing, and the cheapest way to cover it", mayImport: core },
  {
    name: "credits",
    is: "the allowance in Postgres, the credit-aware queue of requests",
    mayImport: [...core, "postgres"],
  },
  {
    name: "load",
    is: "tables as values, checks, dimensions, partitions, upserts, history, sums",
    mayImport: [...core, "postgres"],
  },
  { name: "raw", is: "stored answers: write, read, prune", mayImport: [...core, "postgres"] },
  {
    name: "datasets",
    is: "one file per dataset: partitions, timing, operations, rows",
    mayImport: [...core, "api", "load"],
  },
  {
    name: "ledger",
    is: "slices and their queue, runs, plans, workers, coverage",
    mayImport: [...core, "credits", "postgres"],
  },
  { name: "planner", is: "the plan with a database: portfolio, budget, gaps, forecast prices", mayImport: middle },
  { name: "ingest", is: "the steps of one slice: claim, fetch, store, normalise, load, record", mayImport: middle },
  { name: "runs", is: "sync, backfill, the scheduled run, heartbeat, retention", mayImport: story },
  { name: "archive", is: "stored answers: export, import, check, replay", mayImport: story },
  { name: "app", is: "what every command has: settings, warehouse, clock, log", mayImport: runs },
  { name: "open-ingest", is: "assembles the parts that run slices", mayImport: [...runs, "app"] },
  {
    name: "export",
    is: "tables as files in a folder or bucket, and as dbt sources",
    mayImport: [...core, "config", "postgres"],
  },
  {
    name: "publish",
    is: "tables and marts in ClickHouse",
    mayImport: [...core, "config", "postgres", "export"],
  },
  {
    name: "jobs",
    is: "tasks of the queue: the planner's trigger, retention, export, publish",
    mayImport: [...core, "config", "postgres", "ingest", "runs", "export", "publish"],
  },
  { name: "foreground", is: "runs a command to its end", mayImport: [...runs, "app", "open-ingest", "jobs"] },
  {
    name: "person",
    is: "what people do: requests to the API, keyword changes, applying held answers",
    mayImport: [...runs, "app", "open-ingest"],
  },
  {
    name: "alerts",
    is: "conditions on marts, checked when their days are complete",
    mayImport: [...core, "config", "postgres", "datasets"],
  },
  {
    name: "incidents",
    is: "what is wrong, and the messages about it and about alerts",
    mayImport: [...runs, "alerts"],
  },
  { name: "doctor", is: "the checks of `storehouse doctor`", mayImport: [...runs, "alerts", "incidents"] },
  { name: "health", is: "health server and metrics", mayImport: [...runs, "incidents"] },
  { name: "worker", is: "the long-running process", mayImport: [...entry, ...watch] },
  {
    name: "charts",
    is: "ranks, coverage and amounts by day as SVG",
    mayImport: [...core, "config", "plan", "postgres"],
  },
  {
    name: "console",
    is: "the console in a browser: pages, actions, who may do what",
    mayImport: [...entry, ...watch, "worker", "charts"],
  },
  {
    name: "gateway",
    is: "serves the API's contract to other clients, from fresh stored answers if there are any",
    mayImport: [...runs, "app", "open-ingest", "person", "health"],
  },
  {
    name: "metabase",
    is: "Metabase: database, column metadata, dashboards",
    mayImport: [...core, "config", "postgres"],
  },
  {
    name: "mcp",
    is: "serves the marts over the Model Context Protocol",
    mayImport: [...core, "config", "postgres", "plan", "datasets", "planner"],
  },
  { name: "sandbox", is: "the API over a synthetic market", mayImport: [...core, "api"] },
  {
    name: "cli",
    is: "commands and what they print",
    mayImport: [...entry, ...watch, "worker", "console", "gateway", ...surfaces],
  },
  { name: "demo", is: "`npm run demo`", mayImport: [...entry, "charts", "worker", "console", "sandbox", "cli"] },
  {
    name: "docs",
    is: "`npm run docs`: the generated pages",
    mayImport: [...core, "config", "api", "postgres", "datasets", "planner", "incidents", "health", "export", "cli"],
  },
];

/** The table of rooms in CONTRIBUTING. */
export function roomsTable(): string {
  return markdownTable(
    ["room", "what it is", "may import"],
    rooms.map(({ name, is, mayImport }, index) => [`\`${name}\``, is, importWords(mayImport, rooms.slice(0, index))]),
  );
}

/** What a room may import or, if that is shorter, which rooms above it it may not import. */
function importWords(mayImport: readonly string[], above: readonly Room[]): string {
  const not = above.map(({ name }) => name).filter((name) => !mayImport.includes(name));
  if (mayImport.length === 0) return "";
  if (not.length === 0) return mayImport.length === 1 ? mayImport.join() : "all above";
  return not.length < mayImport.length ? `all above except ${not.join(", ")}` : mayImport.join(", ");
}
