import { addDays, addMonths, isDay, monthStart, weekday, type Day } from "../core/day.ts";
import type { NamedScopes } from "../core/partition-group.ts";

/** Comments, and what begins like one in a text or a name and is none. */
const comments = /('(?:[^']|'')*'|"(?:[^"]|"")*")|--[^\n]*|\/\*[\s\S]*?\*\//g;
/** Texts, and names in quotes, which may hold what begins a text. */
const texts = /'(?:[^']|'')*'|"(?:[^"]|"")*"/g;
/** Texts that end elsewhere than others do. */
const oddTexts = /\be'[^']*\\|\$\w*\$/i;
/** What may read other rows than those of the conditions. */
const others =
  /\b(?:or|not|union|except|intersect|join|case|filter|lateral)\b|\bfrom\s+(?:only\s+)?[\w."]+(?:\s+(?:as\s+)?[\w"]+)?(?:\s*\([^)]*\))?\s*,/i;
/** What leaves rows out that fit the conditions. */
const cuts = /\b(?:limit|offset|fetch|tablesample|distinct\s+on)\b/gi;
const written = /'\d{4}-\d{2}-\d{2}[^']*'/g;
const literal = String.raw`(?:date\s*)?'(\d{4}-\d{2}-\d{2})'(?:\s*::\s*date)?(?!\s*(?:[-+*/:]|at\b|is\b))`;
const condition = new RegExp(
  String.raw`(?<![-+*/(]\s*|[-+*/(]\s*\w+\.)\b(date_day|month_start|period_start)"?\s*(?:(>=|<=|=|>|<)\s*${literal}|between\s+${literal}\s+and\s+${literal})`,
  "gi",
);

/** The last day of the month that begins on a day: a row of a month is about all of it. */
export function lastOfMonth(start: Day): Day {
  return addDays(addMonths(start, 1), -1);
}

/**
 * The first and the last day that a statement reads, where that is certain: it is one select of one relation, with one lower and one
 * upper bound on its day, its month, or the start of its weeks or months, and without what makes conditions alternatives. Undefined otherwise.
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
  // a day that is in no such condition may be one more alternative, or move what is read
  if (!isPlain || days.length !== (text.match(written)?.length ?? 0)) return undefined;
  if (lower === undefined || upper === undefined || lower.day > upper.day) return undefined;
  return { first: lower.day, last: upper.day };
}

/** Whether a statement chooses rows by their day, or may: it compares that, or writes a day. */
export function choosesDays(statement: string): boolean {
  const text = plain(statement);
  return text.match(written) !== null || /\bdate_day"?\s*(?:[<>=!]|between\b|in\b)/i.test(text);
}

/** Whether a statement may leave rows out that fit its conditions: by a limit that so many rows do not fall short of, a sample, or one of alike rows. */
export function leavesRowsOut(statement: string, rows: number): boolean {
  const text = plain(statement);
  const found = withoutTexts(text).match(cuts)?.length ?? 0;
  const [, limit] = /\blimit\s+(\d+)[\s;]*$/i.exec(text) ?? [];
  return found > 1 || (found === 1 && !(limit !== undefined && isOneSelect(text) && rows < Number(limit)));
}

/** Whether a statement reads no other apps and countries than these: it names some of them, and only them, itself. */
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

/** The last day that rows are about which begin on a day or before it; undefined where nothing says how long their periods are. */
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
  return statement.replaceAll(comments, (_, kept?: string) => kept ?? " ").replaceAll(/\bis\s+not\b/gi, "is");
}

/**
 * What stands between the first `where` and what rows are grouped or ordered by: a comparison before or after it is a value of the answer
 * or a place in it, and leaves no row out.
 */
function filtersOf(text: string): string {
  const words = text.replaceAll(texts, (quoted) => " ".repeat(quoted.length));
  const start = words.search(/\bwhere\b/i);
  if (start === -1) return "";
  const length = words.slice(start).search(/\b(?:group|order|partition)\s+by\b/i);
  return text.slice(start, length === -1 ? undefined : start + length);
}

function isOneSelect(text: string): boolean {
  const words = withoutTexts(text);
  return !oddTexts.test(text) && !others.test(words) && words.match(/\bselect\b/gi)?.length === 1;
}

function withoutTexts(text: string): string {
  return text.replaceAll(texts, (quoted) => (quoted.startsWith("'") ? "''" : '"name"'));
}
