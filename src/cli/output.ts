/** Writes a result; logs go to stderr, results here. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes a result for programs. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Writes bytes as they are. */
export function printBytes(bytes: Uint8Array): void {
  process.stdout.write(bytes);
}

/** A number for people, thousands apart. */
export function count(number: number): string {
  return number.toLocaleString("en-US");
}

/** So many of a thing in words: "1 answer", "2,000 answers". `many` is the plural where an s does not make it. */
export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Writes a remark for the person at the terminal, apart from the result. */
export function remark(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Lets a reader leave early (`storehouse status | head`): what is still to be printed is dropped, the work goes on. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}
