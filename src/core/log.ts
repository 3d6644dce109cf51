import { pino, type DestinationStream, type Logger } from "pino";
import { hiderOf } from "./secret.ts";

/** A structured logger: `log.info({ fields }, "event.name")`. Goes to stderr; results go to stdout. */
export type Log = Logger;

/** Makes the process's logger. `secrets` are replaced wherever they would appear in a line, in any field. */
export function createLog(options: { level: string; secrets: readonly string[]; to?: DestinationStream }): Log {
  const to = options.to ?? pino.destination({ dest: 2, sync: true });
  const hide = hiderOf(options.secrets);
  return pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => to.write(hide(line)) },
  );
}
