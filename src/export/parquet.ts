import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";

/** A column of a Parquet file: its name, and what it is read from, of the text in the column of that number. */
type ParquetColumn = { readonly name: string; readonly read: (text: string) => string };

/** What a file is made of: CSV without a heading, every value quoted, `\N` for null. `longest`: the bytes of its longest row. */
type ParquetText = { readonly file: string; readonly longest: number };

/** Makes Parquet files of text. Disposing ends it. */
export type ParquetWriter = Disposable & {
  /** Writes a file. The same text gives the same bytes. */
  readonly write: (text: ParquetText, to: string, columns: readonly ParquetColumn[]) => Promise<void>;
};

/** One thread, so that the rows keep their order and the file its bytes; the limit is DuckDB's own, beside Node's. */
const options = {
  threads: "1",
  memory_limit: "256MB",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
};

/** Text is read by pieces of so many bytes, or longer ones where a row needs it. */
const pieceBytes = 4 * 2 ** 20;

/** Opens a writer; `folder` is where DuckDB may put what does not fit into memory. */
export async function openParquetWriter(folder: string): Promise<ParquetWriter> {
  const instance = await DuckDBInstance.create(":memory:", { ...options, temp_directory: folder });
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  return {
    write: (text, to, columns) => write(connection, { text, to, columns }),
    [Symbol.dispose]: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

type File = { readonly text: ParquetText; readonly to: string; readonly columns: readonly ParquetColumn[] };

async function write(connection: DuckDBConnection, { text, to, columns }: File): Promise<void> {
  const texts = columns.map((_, index) => `c${index}`);
  const line = Math.max(pieceBytes / 2, text.longest + 1);
  const wanted = columns.map(({ name, read }, index) => `${read(`c${index}`)} as "${name.replaceAll('"', '""')}"`);
  await connection.run(`
    copy (select ${wanted.join(", ")}
          from   read_csv(${literal(withoutGlobs(text.file))}, header = false, auto_detect = false, parallel = false, strict_mode = true,
                          delim = ',', quote = '"', escape = '"', new_line = '\\n', nullstr = '\\N', allow_quoted_nulls = false,
                          max_line_size = ${line}, buffer_size = ${2 * line},
                          columns = {${texts.map((name) => `${name}: 'VARCHAR'`).join(", ")}}))
    to ${literal(to)} (format parquet, compression zstd)`);
}

/** A path as the name of one file: DuckDB takes some characters for a pattern. */
function withoutGlobs(file: string): string {
  return file.replaceAll(/[[*?{]/g, (letter) => `[${letter}]`);
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
