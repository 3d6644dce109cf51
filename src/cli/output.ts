/** Writes a result; logs go to stderr, results here. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes a result for programs. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Writes a remark for the person at the terminal, apart from the result. */
export function remark(text: string): void {
  process.stderr.write(`${text}\n`);
}
