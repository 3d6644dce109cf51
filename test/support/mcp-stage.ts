import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { projectRoot } from "../../src/config/config.ts";
import { openGrantedAfter, passwords, type GrantedStage } from "./granted-stage.ts";
import { compiledOnce } from "./ingest-child.ts";
import { openStage, quick, today, type Stage } from "./ingest-stage.ts";
import { charged } from "./ingest-witness.ts";
import { forTests } from "./for-tests.ts";

/** A synced market in a warehouse whose roles are in place. */
type McpStage = AsyncDisposable & {
  readonly granted: GrantedStage;
  readonly stage: Stage;
  /** A client of the SDK on a process of its own; disposing closes it. */
  readonly connect: () => Promise<{ readonly client: Client; readonly pid: () => number | null } & AsyncDisposable>;
};

/** So that limits are met without waiting for them. */
export const limits = { rows: 5, seconds: 2, kib: 64 } as const;

/** The variables of a process that serves the marts of a stage. */
export const variables = { STOREHOUSE_READER_PASSWORD: passwords.reader } as const;

const market = { apps: 2, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 } as const;

async function spendOnFirstSync(granted: GrantedStage): Promise<number> {
  await using stage = await openStage({ market, database: granted.urlOf("loader") });
  await stage.sync();
  return charged(stage.requested());
}

/** Opens a stage with four days of ranks of a small market. */
async function openMcpStage(): Promise<McpStage> {
  await using opened = new AsyncDisposableStack();
  const { granted, left: spent } = await openGrantedAfter("mcp", spendOnFirstSync);
  opened.use(granted);
  const stage = opened.use(await openStage({ market, database: granted.urlOf("loader") }));
  stage.sandbox.spend(spent);
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-mcp-"));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const config = path.join(folder, "storehouse.yaml");
  writeFileSync(
    config,
    JSON.stringify(
      quick({ mcp: limits, credits: { budgets: { ranks: { datasets: ["keyword_rank"], credits_a_month: 3 } } } }),
    ),
  );
  const stack = opened.move();
  return {
    granted,
    stage,
    connect: async () => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [path.join(projectRoot, "src", "cli.ts"), "mcp", "--as-of", today],
        cwd: folder,
        env: {
          PATH: process.env["PATH"] ?? "",
          API_BASE_URL: stage.sandbox.url,
          API_TOKEN: stage.sandbox.token,
          DATABASE_URL: stage.databaseUrl,
          STOREHOUSE_CONFIG: config,
          ...compiledOnce,
          ...variables,
        },
        stderr: "inherit",
      });
      const client = new Client({ name: "test", version: "1" });
      await client.connect(transport);
      return { client, pid: () => transport.pid, [Symbol.asyncDispose]: () => client.close() };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Parts of what the tools answer, as tests read them. */
type Reply = {
  readonly relations: readonly { readonly name: string; readonly about: string }[];
  readonly columns: readonly { readonly name: string; readonly type: string; readonly about: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly is_cut: boolean;
  readonly coverage: {
    readonly says: string;
    readonly datasets: readonly { readonly dataset: string; readonly gaps: readonly unknown[] }[];
  };
  readonly datasets: readonly { readonly name: string }[];
  readonly command: string;
  readonly says: string;
  readonly credits: number;
};

/** The data that a tool answered. */
export async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Reply> {
  const answered = await callOrError(client, name, args);
  if (typeof answered === "string") throw new Error(answered);
  return answered;
}

/** The data that a tool answered, or the text of its error. */
async function callOrError(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Reply | string> {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content as { type: string; text: string }[];
  if (result.isError === true) return content?.text ?? "";
  const data: unknown = result.structuredContent;
  // clients without structured content read the text
  if (JSON.stringify(data) !== content?.text) throw new Error("text and data differ");
  return data as Reply;
}

/** One of these for the tests of a file, a client of it, and what that client calls: by the name of a tool, or by a statement. */
export function mcpForTests() {
  const served = forTests(openMcpStage);
  const connected = forTests(() => served.connect());
  const ask = (name: string, args?: Record<string, unknown>) => call(connected.client, name, args);
  return {
    served,
    connected,
    ask,
    refused: (name: string, args?: Record<string, unknown>) => callOrError(connected.client, name, args),
    query: (sql: string, rest: Record<string, unknown> = {}) => ask("query", { sql, ...rest }),
  };
}
