import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";

/** A column of a Parquet file: its name, and how it is read from the text column at the same position. */
type ParquetColumn = { readonly name: string; readonly read: (text: string) => string };

/** The source of a file: CSV without a heading, every value quoted, `\N` for null. `longest`: the bytes of its longest row. */
type ParquetText = { readonly file: string; readonly longest: number };

/** Makes Parquet files from text. Disposing ends it. */
export type ParquetWriter = Disposable & {
  /** Writes a file. The same text gives the same bytes. */
  readonly write: (text: ParquetText, to: string, columns: readonly ParquetColumn[]) => Promise<void>;
};

/** One thread, so that rows keep their order and the file has the same bytes; the memory limit is for DuckDB, in addition to Node's. */
const options = {
  threads: "1",
  memory_limit: "256MB",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
};

/** Text is read in pieces of this size, or longer ones if a row needs it. */
const pieceBytes = 4 * 2 ** 20;

/** Opens a writer; `folder` is where DuckDB may spill what does not fit into memory. */
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

/** A path that names exactly one file: DuckDB reads some characters as a pattern. */
function withoutGlobs(file: string): string {
  return file.replaceAll(/[[*?{]/g, (letter) => `[${letter}]`);
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
