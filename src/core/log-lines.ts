import type { DestinationStream } from "pino";
import { logEvents } from "./log-events.ts";
import { type LineTerminal, writeLines } from "./status-line.ts";
import { wrapText } from "./text-width.ts";

/** The terminal that log lines are written to. */
type Terminal = LineTerminal & { readonly columns?: number };

/** The destination of a logger that a person reads at a terminal: each line of JSON becomes a sentence. */
export function logLines(to: Terminal): DestinationStream {
  return { write: (line) => writeLines(to, sentence(line, to.columns ?? 80)) };
}

/** Prefixes for the levels that a person acts on. */
const loud: Readonly<Record<number, string>> = { 40: "warning: ", 50: "error: ", 60: "fatal: " };
/** Aligned after the time, so that events are easy to see. */
const indent = " ".repeat("11-22 10:05:12  ".length);

/**
 * An event in words: its time in the zone of the reader, its meaning, its name, and its fields. A line that is not an event is unchanged.
 */
function sentence(line: string, columns: number): string {
  let event: Readonly<Record<string, unknown>>;
  try {
    event = JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return line.trimEnd();
  }
  const { level, time, msg, ...fields } = event;
  const name = String(msg);
  const says = name in logEvents ? logEvents[name as keyof typeof logEvents].says : "";
  const known = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const facts = [name, ...known.map(([field, value]) => `${field}=${shown(value)}`)].join(" ");
  const text = `${loud[Number(level)] ?? ""}${says === "" ? facts : `${says} (${facts})`}`;
  return wrapText(text, Math.max(20, columns - indent.length))
    .map((part, at) => `${at === 0 ? `${clockTime(String(time))}  ` : indent}${part}`)
    .join("\n");
}

function shown(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return /[\s\p{Cc}]/u.test(value) ? JSON.stringify(value) : value;
}

/** `11-22 10:05:12` in the zone of this process. */
function clockTime(instant: string): string {
  const at = new Date(instant);
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
