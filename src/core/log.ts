import { pino, type DestinationStream, type Logger } from "pino";
import { hiderOf } from "./secret.ts";

/** A structured logger: `log.info({ fields }, "event.name")`. Goes to stderr; results go to stdout. */
export type Log = Logger;

/** Makes the logger of the process. `secrets` are replaced everywhere in a line, in any field. */
export function createLog(options: { level: string; secrets: readonly string[]; to?: DestinationStream }): Log {
  const to = options.to ?? standardError();
  const hide = hiderOf(options.secrets);
  return pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => to.write(hide(line)) },
  );
}

/** How much is kept of lines that cannot be written, until there is space again. */
const mostKept = 2 ** 20;

/** A full disk under the log must not end the process: lines wait, and above a limit they are dropped. */
function standardError(): DestinationStream {
  const to = pino.destination({ dest: 2, sync: true, maxLength: mostKept });
  to.on("error", () => undefined);
  return to;
}
