import { pino, type DestinationStream, type Logger } from "pino";

/** A structured logger: `log.info({ fields }, "event.name")`. Goes to stderr; results go to stdout. */
export type Log = Logger;

/** Makes the process's logger. `secrets` are replaced wherever they would appear in a line, whatever field they hide in. */
export function createLog(options: { level: string; secrets: readonly string[]; to?: DestinationStream }): Log {
  const to = options.to ?? pino.destination({ dest: 2, sync: true });
  const hidden = options.secrets.filter((secret) => secret !== "").flatMap(spellings);
  return pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => to.write(hidden.reduce((text, secret) => text.replaceAll(secret, "[hidden]"), line)) },
  );
}

/** The forms that a secret may take inside JSON text or a URL. */
export function spellings(secret: string): string[] {
  const plain = [secret, encodeURIComponent(secret), new URLSearchParams({ s: secret }).toString().slice(2)];
  return [...new Set([...plain, ...plain.map((form) => JSON.stringify(form).slice(1, -1))])];
}
