import { styleText } from "node:util";

/** How what is printed is shown to its reader. */
export type Screen = {
  /** Columns of the results; infinite in a pipe, whose lines stay whole. */
  readonly columns: number;
  /** Columns of remarks; as for results. */
  readonly remarkColumns: number;
  readonly isColored: boolean;
  /** The reader's time zone by its name. */
  readonly zone: string;
  /** Whether times show UTC as well. */
  readonly showsUtc: boolean;
};

/** Where results or remarks go. */
type Out = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "hasColors">;

/** What decides how things are shown. */
export type ScreenOptions = {
  readonly out: Out;
  readonly err: Out;
  readonly color: boolean;
  readonly utc: boolean;
  /** The variable COLUMNS: it applies if no terminal reports its width. */
  readonly columns?: string | undefined;
};

/** No table is legible in fewer. */
const fewestColumns = 40;

/** The screen for these streams and options. Colour needs a terminal that has it (`hasColors` respects `NO_COLOR` and `TERM=dumb`). */
export function screenFor({ out, err, color, utc, columns }: ScreenOptions): Screen {
  const named = /^\d+$/.test(columns ?? "") ? Number(columns) : Number.POSITIVE_INFINITY;
  const widthOf = (stream: Out) => Math.max(fewestColumns, stream.isTTY ? stream.columns || named : named);
  return {
    columns: widthOf(out),
    remarkColumns: widthOf(err),
    isColored: color && out.isTTY && out.hasColors(),
    zone: readersZone(),
    showsUtc: utc,
  };
}

/** The zone that TZ or the machine names; UTC if that is not a valid name, such as an empty TZ. */
function readersZone(): string {
  // the types do not say that it may be missing
  const named: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return named === undefined || named === "Etc/Unknown" ? "UTC" : named;
}

/** Until a command sets the screen: whole lines, no colour. */
let current: Screen | null = null;

/** The screen of this process. */
export function screen(): Screen {
  current ??= screenFor({ out: process.stdout, err: process.stderr, color: false, utc: false });
  return current;
}

/** Sets the screen of this process, by the options of its command line. */
export function setScreen(options: {
  readonly color: boolean;
  readonly utc: boolean;
  readonly columns?: string | undefined;
}): void {
  current = screenFor({ out: process.stdout, err: process.stderr, ...options });
}

/** Colours, each with one meaning: act on it, know about it, in order, neutral, remark. */
const styles = { bad: "red", warn: "yellow", good: "green", calm: "reset", aside: "dim", strong: "bold" } as const;

/** What a colour means. */
export type TextTone = keyof typeof styles;

/** A text in the colour of its meaning, where the screen shows colour. */
export function toned(tone: TextTone, text: string): string {
  return screen().isColored ? styleText(styles[tone], text, { validateStream: false }) : text;
}
