import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";

/** A column of a Parquet file: its name, and what it is read from, of the text in the column of that number. */
export type ParquetColumn = { readonly name: string; readonly read: (text: string) => string };

/** Makes Parquet files of text. Disposing ends it. */
export type ParquetWriter = Disposable & {
  /** `from`: CSV without a heading, every value quoted, `\N` for null. The same text gives the same bytes. */
  readonly write: (from: string, to: string, columns: readonly ParquetColumn[]) => Promise<void>;
};

/** One thread, so that the rows keep their order and the file its bytes; the limit is DuckDB's own, beside Node's. */
const options = {
  threads: "1",
  memory_limit: "400MB",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
};

/** A line is a row: the longest JSON or review that is to be expected, with room. */
const longestLine = 64 * 2 ** 20;

/** Opens a writer; `folder` is where DuckDB may put what does not fit into memory. */
export async function openParquetWriter(folder: string): Promise<ParquetWriter> {
  const instance = await DuckDBInstance.create(":memory:", { ...options, temp_directory: folder });
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  return {
    write: (from, to, columns) => write(connection, { from, to, columns }),
    [Symbol.dispose]: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

type File = { readonly from: string; readonly to: string; readonly columns: readonly ParquetColumn[] };

async function write(connection: DuckDBConnection, { from, to, columns }: File): Promise<void> {
  const texts = columns.map((_, index) => `c${index}`);
  const wanted = columns.map(({ name, read }, index) => `${read(`c${index}`)} as "${name.replaceAll('"', '""')}"`);
  await connection.run(`
    copy (select ${wanted.join(", ")}
          from   read_csv(${literal(withoutGlobs(from))}, header = false, auto_detect = false, parallel = false, strict_mode = true,
                          delim = ',', quote = '"', escape = '"', new_line = '\\n', nullstr = '\\N', allow_quoted_nulls = false,
                          max_line_size = ${longestLine}, buffer_size = ${2 * longestLine},
                          columns = {${texts.map((text) => `${text}: 'VARCHAR'`).join(", ")}}))
    to ${literal(to)} (format parquet, compression zstd)`);
}

/** A path as the name of one file, whatever its letters: DuckDB takes some of them for a pattern. */
function withoutGlobs(file: string): string {
  return file.replaceAll(/[[*?{]/g, (letter) => `[${letter}]`);
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
