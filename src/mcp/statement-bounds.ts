import { addDays, addMonths, isDay, monthStart, weekday, type Day } from "../core/day.ts";
import type { NamedScopes } from "../core/partition-group.ts";
import { pieces, replaced, withoutComments } from "./statement-pieces.ts";

/** Strings whose value is not what stands between single quotes. */
const oddString = /^\$|^e[\s\S]*\\/i;
/** Words that may read rows outside the conditions. */
const others =
  /\b(?:or|not|union|except|intersect|join|case|filter|lateral)\b|\bfrom\s+(?:only\s+)?[\w."]+(?:\s+(?:as\s+)?[\w"]+)?(?:\s*\([^)]*\))?\s*,/i;
/** Words that may leave out rows that fit the conditions. */
const cuts = /\b(?:limit|offset|fetch|tablesample|distinct\s+on)\b/gi;
const written = /'\d{4}-\d{2}-\d{2}[^']*'/g;
const literal = String.raw`(?:date\s*)?'(\d{4}-\d{2}-\d{2})'(?:\s*::\s*date)?(?!\s*(?:[-+*/:]|at\b|is\b))`;
const condition = new RegExp(
  String.raw`(?<![-+*/(]\s*|[-+*/(]\s*\w+\.)\b(date_day|month_start|period_start)"?\s*(?:(>=|<=|=|>|<)\s*${literal}|between\s+${literal}\s+and\s+${literal})`,
  "gi",
);

/** The last day of the month that begins on a day: a row of a month is about the whole month. */
export function lastOfMonth(start: Day): Day {
  return addDays(addMonths(start, 1), -1);
}

/**
 * The first and the last day that a statement reads, if that is certain: it is one select from one relation, with one lower and one upper
 * bound on its day, its month, or the start of its weeks or months, and no alternative conditions. Else undefined.
 */
export function statementBounds(statement: string): { readonly first: Day; readonly last: Day } | undefined {
  const text = plain(statement);
  const filters = filtersOf(text);
  const conditions = [...filters.matchAll(condition)];
  const bounds = conditions.flatMap((found) => boundsOf(found, kindsOf(filters)));
  const [lower, further] = bounds.filter(({ isLower }) => isLower);
  const [upper, next] = bounds.filter(({ isLower }) => !isLower);
  const days = conditions.flatMap(([, , , ...ends]) => ends.filter((end) => end !== undefined));
  const isPlain = isOneSelect(text) && further === undefined && next === undefined;
  // a day outside such a condition may be another alternative, or change what is read
  if (!isPlain || days.length !== (text.match(written)?.length ?? 0)) return undefined;
  if (lower === undefined || upper === undefined || lower.day > upper.day) return undefined;
  return { first: lower.day, last: upper.day };
}

/** True if a statement chooses rows by their day, or may: it compares a day column, or contains a day. */
export function choosesDays(statement: string): boolean {
  const text = plain(statement);
  return text.match(written) !== null || /\bdate_day"?\s*(?:[<>=!]|between\b|in\b)/i.test(text);
}

/** True if a statement may leave out rows that fit its conditions: by a limit that `rows` reaches, a sample, or `distinct on`. */
export function leavesRowsOut(statement: string, rows: number): boolean {
  const text = plain(statement);
  const found = withoutTexts(text).match(cuts)?.length ?? 0;
  const [, limit] = /\blimit\s+(\d+)[\s;]*$/i.exec(text) ?? [];
  return found > 1 || (found === 1 && !(limit !== undefined && isOneSelect(text) && rows < Number(limit)));
}

/** True if a statement reads only these apps and countries: it names some of them itself, and no others. */
export function readsOnly(statement: string, { apps, countries }: NamedScopes): boolean {
  const text = plain(statement);
  const trackIds = apps.map((app) => app.slice(app.indexOf(":") + 1));
  const isNarrowed = (column: string, allowed: readonly string[]) =>
    allowed.length === 0 || (isOneSelect(text) && namesOnly(filtersOf(text), column, allowed));
  return isNarrowed("track_id", trackIds) && isNarrowed("country_code", countries);
}

function namesOnly(text: string, column: string, allowed: readonly string[]): boolean {
  const values = new RegExp(String.raw`\b${column}"?\s*(?:=\s*|in\s*\(\s*)('[^']*'(?:\s*,\s*'[^']*')*)`, "gi");
  const named = [...text.matchAll(values)].flatMap(([, list = ""]) => list.match(/[^',\s]+/g) ?? []);
  return named.length > 0 && named.every((name) => allowed.includes(name));
}

type Bound = { readonly isLower: boolean; readonly day: Day };

function boundsOf(found: RegExpExecArray, kinds: readonly string[]): readonly Bound[] {
  const [, column = "", operator = "", one = "", from = "", to = ""] = found;
  const [first, last] = one === "" ? [from, to] : [one, one];
  if (!isDay(first) || !isDay(last)) return [];
  const end = endOf(column.toLowerCase(), operator === "<" ? addDays(last, -1) : last, kinds);
  const lower = { isLower: true, day: operator === ">" ? addDays(first, 1) : first };
  if (operator.startsWith(">")) return [lower];
  const upper = end === undefined ? [] : [{ isLower: false, day: end }];
  return operator.startsWith("<") ? upper : [lower, ...upper];
}

/** The last day of periods that begin on or before a day; undefined if the length of the periods is unknown. */
function endOf(column: string, day: Day, [kind, ...further]: readonly string[]): Day | undefined {
  if (column === "date_day") return day;
  if (column === "month_start") return lastOfMonth(monthStart(day));
  if (further.length > 0) return undefined;
  if (kind === "month") return lastOfMonth(monthStart(day));
  return kind === "week" ? addDays(day, 6 - weekday(day)) : undefined;
}

const kindIs = /\bperiod_kind"?\s*=\s*'(\w+)'/gi;

/** The kinds of period that a statement names. */
function kindsOf(text: string): readonly string[] {
  return [...text.matchAll(kindIs)].map(([, kind = ""]) => kind);
}

function plain(statement: string): string {
  return withoutComments(statement).replaceAll(/\bis\s+not\b/gi, "is");
}

/**
 * The text from the first `where` to the grouping or ordering: a comparison before or after it computes a value or an order, and leaves no
 * row out.
 */
function filtersOf(text: string): string {
  const blank = (quoted: string) => " ".repeat(quoted.length);
  const words = replaced(text, { string: blank, name: blank });
  const start = words.search(/\bwhere\b/i);
  if (start === -1) return "";
  const length = words.slice(start).search(/\b(?:group|order|partition)\s+by\b/i);
  return text.slice(start, length === -1 ? undefined : start + length);
}

function isOneSelect(text: string): boolean {
  const words = withoutTexts(text);
  return !hasOddStrings(text) && !others.test(words) && words.match(/\bselect\b/gi)?.length === 1;
}

function withoutTexts(text: string): string {
  return replaced(text, { string: "''", name: '"name"' });
}

function hasOddStrings(text: string): boolean {
  return pieces(text).some((piece) => piece.kind === "string" && oddString.test(piece.text));
}
