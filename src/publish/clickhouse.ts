import { ClickHouseError, createClient } from "@clickhouse/client";
import type { Readable } from "node:stream";
import type { Config } from "../config/config.ts";
import { networkOf } from "../config/network.ts";
import { fail } from "../core/errors.ts";
import { trustedAuthorities } from "../core/http-agent.ts";

/** A ClickHouse, used over its HTTP interface. Each call throws `clickhouse_refused`, `clickhouse_failed` or `clickhouse_unavailable`. */
export type ClickHouse = AsyncDisposable & {
  /** Runs a statement. */
  readonly run: (statement: string) => Promise<void>;
  /** Runs a query; returns one object per row. */
  readonly ask: <Row>(query: string) => Promise<readonly Row[]>;
  /** Sends a Parquet file into a table, matching columns by name. */
  readonly load: (table: string, file: Readable) => Promise<void>;
};

/** Swapping a month waits for readers, and a large file takes long. */
const timeoutMs = 600_000;

/** Large, since a statement may name each slice of a month. */
const mostQueryBytes = String(64 * 2 ** 20);

/** Opens the ClickHouse of CLICKHOUSE_URL. Throws `clickhouse_unset` if it is not set. */
export function openClickHouse({ environment }: Pick<Config, "environment">): ClickHouse {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username = "default", CLICKHOUSE_PASSWORD: password } = environment;
  if (url === undefined) throw fail("clickhouse_unset");
  const trusted = trustedAuthorities(networkOf(environment).authorities);
  const client = createClient({
    url,
    username,
    ...(password === undefined ? {} : { password }),
    ...(trusted === undefined ? {} : { tls: { ca_cert: Buffer.from(trusted.join("\n")) } }),
    application: "storehouse",
    request_timeout: timeoutMs,
    max_open_connections: 1,
    clickhouse_settings: {
      wait_end_of_query: 1,
      output_format_json_quote_64bit_integers: 1,
      max_query_size: mostQueryBytes,
    },
    log: { level: 127 },
  });
  const inWords = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw problemOf(error);
    });
  return {
    run: async (statement) => void (await inWords(client.command({ query: statement }))),
    ask: <Row>(query: string) =>
      inWords(client.query({ query, format: "JSONEachRow" }).then((result) => result.json<Row>())),
    load: async (table, file) => {
      const sent = await inWords(client.exec({ query: `insert into ${table} format Parquet`, values: file }));
      sent.stream.resume();
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Codes of ClickHouse about users, passwords and rights, including a user who may only read (164) or change no table (392). */
const accessCodes = ["164", "192", "193", "194", "392", "497", "516"];

/** The library's errors, without the address. */
function problemOf(error: unknown): Error {
  if (error instanceof ClickHouseError) {
    const problem = `${error.type ?? error.code}: ${beginning(error.message)}`;
    return fail(accessCodes.includes(error.code) ? "clickhouse_refused" : "clickhouse_failed", { problem });
  }
  const { code, message } = error as NodeJS.ErrnoException;
  return fail("clickhouse_unavailable", { problem: code ?? beginning(message) });
}

/** A proxy may answer with a whole page. */
function beginning(text: string): string {
  return (text.split("\n")[0] ?? "").slice(0, 300);
}
