import { pino, type DestinationStream, type Logger } from "pino";
import { hiderOf } from "./secret.ts";

/** A structured logger: `log.info({ fields }, "event.name")`. Goes to stderr; results go to stdout. */
export type Log = Logger;

/** Makes the process's logger. `secrets` are replaced wherever they would appear in a line, whatever field they hide in. */
export function createLog(options: { level: string; secrets: readonly string[]; to?: DestinationStream }): Log {
  const to = options.to ?? pino.destination({ dest: 2, sync: true });
  const hide = hiderOf(options.secrets);
  return pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => to.write(hide(line)) },
  );
}

/** The forms that a secret may take inside JSON text or a URL, the longest first, so that none leaves a rest of another. */
export function spellings(secret: string): string[] {
  const urls = [encodeURIComponent(secret), new URLSearchParams({ s: secret }).toString().slice(2)];
  const plain = [secret, ...urls, ...urls.map((form) => form.replaceAll(/%../g, (hex) => hex.toLowerCase()))];
  const all = new Set([...plain, ...plain.map((form) => JSON.stringify(form).slice(1, -1))]);
  return [...all].sort((a, b) => b.length - a.length);
}
