import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { openEngine } from "./clickhouse-engine.ts";

/** A ClickHouse in this process behind the part of its HTTP interface that its client uses, on loopback. */
export type ClickHouseStage = AsyncDisposable & {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Rows of a query, as objects; decimals and large numbers as text. */
  readonly ask: (query: string) => Promise<readonly Record<string, unknown>[]>;
  /** Statements that change something, oldest first; the list is emptied by reading it. */
  readonly changes: () => readonly string[];
  /** Called with each statement; false cuts it off. */
  letThrough: (statement: string) => boolean;
  /** Called with the table once rows were loaded into it. */
  onLoaded: (table: string) => Promise<unknown>;
};

const [user, password] = ["storehouse", "clickhouse-password-1"];

/** Starts one. One at a time: the engine is one a process. */
export async function openClickHouseStage(): Promise<ClickHouseStage> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(await mkdtemp(path.join(tmpdir(), "storehouse-clickhouse-")), (one) =>
    rm(one, { recursive: true, force: true }),
  );
  const session = opened.adopt(await openEngine(), (one) => one.close());
  const seen: string[] = [];
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.defer(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // the statement is the parameter `query`, with rows as the body, or the body
    const named = new URL(request.url ?? "/", "http://localhost").searchParams.get("query");
    const rows = path.join(folder, "sent.parquet");
    if (named !== null) await pipeline(request, createWriteStream(rows));
    const statement = named ?? (await text(request));
    const isOurs = request.headers.authorization === `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
    if (!isOurs)
      return refuse(response, "Code: 516. DB::Exception: storehouse: Authentication failed. (AUTHENTICATION_FAILED)");
    if (!stage.letThrough(statement)) return void request.socket.destroy();
    try {
      if (!/^\s*select/i.test(statement)) seen.push(statement.trim().replaceAll(/\s+/g, " "));
      response.end(await run(statement, named === null ? null : rows));
    } catch (error) {
      refuse(response, error instanceof Error ? error.message : String(error));
    }
  }

  async function run(statement: string, rows: string | null): Promise<string> {
    const [, into] = /^\s*insert into (\S+) format Parquet/i.exec(statement) ?? [];
    if (into !== undefined && rows !== null) {
      await session.queryAsync(`insert into ${into} select * from file('${rows}', 'Parquet')`);
      await stage.onLoaded(into);
      return "";
    }
    const [, query = statement, format] = /^(.*?)\s+format (\w+)\s*$/is.exec(statement) ?? [];
    return (await session.queryAsync(query, { format: format ?? "TabSeparated" })).text();
  }

  const stack = opened.move();
  const stage: ClickHouseStage = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    user,
    password,
    ask: async (query) => {
      const answered = await session.queryAsync(query, { format: "JSONEachRow" });
      return answered
        .text()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    changes: () => seen.splice(0),
    letThrough: () => true,
    onLoaded: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return stage;
}

function refuse(response: ServerResponse, message: string): void {
  const [, code = "0"] = /^Code: (\d+)/.exec(message) ?? [];
  response.writeHead(code === "516" ? 403 : 500, { "x-clickhouse-exception-code": code });
  response.end(message);
}
