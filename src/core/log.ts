import { pino, type DestinationStream, type Logger } from "pino";
import { hiderOf } from "./secret.ts";

/** A structured logger: `log.info({ fields }, "event.name")`. Goes to stderr; results go to stdout. */
export type Log = Logger;

/** Makes the process's logger. `secrets` are replaced wherever they would appear in a line, in any field. */
export function createLog(options: { level: string; secrets: readonly string[]; to?: DestinationStream }): Log {
  const to = options.to ?? standardError();
  const hide = hiderOf(options.secrets);
  return pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => to.write(hide(line)) },
  );
}

/** What is kept of lines that have no room, for when there is some again. */
const mostKept = 2 ** 20;

/** A log without room, on a full disk, ends no process: its lines wait, and beyond some are dropped. */
function standardError(): DestinationStream {
  const to = pino.destination({ dest: 2, sync: true, maxLength: mostKept });
  to.on("error", () => undefined);
  return to;
}
