import pg from "pg";

/** A value of an answer as in JSON. */
export type CellValue = string | number | boolean | null | object;

const { BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC, JSON: json, JSONB } = pg.types.builtins;
const doubles: ReadonlySet<number> = new Set([INT2, INT4, FLOAT4, FLOAT8]);
const longer: ReadonlySet<number> = new Set([INT8, NUMERIC]);

/** How values of a type are read from the text that Postgres sends. A number that JSON would round stays text. */
export function cellReader(type: number): (text: string | null) => CellValue {
  if (type === BOOL) return (text) => (text === null ? null : text === "t");
  if (type === json || type === JSONB) return (text) => (text === null ? null : (JSON.parse(text) as CellValue));
  if (doubles.has(type)) return (text) => (text === null ? null : numberOf(text, true));
  if (longer.has(type)) return (text) => (text === null ? null : numberOf(text, isExact(text)));
  return (text) => text;
}

function numberOf(text: string, exact: boolean): CellValue {
  const number = Number(text);
  return exact && Number.isFinite(number) ? number : text;
}

/** Below this a double has fewer digits, and at last none. */
const leastNormal = 2 ** -1022;

/** True if a double keeps every digit: zeros at the end of a fraction add nothing. */
function isExact(text: string): boolean {
  if (Math.abs(Number(text)) < leastNormal) return !/[1-9]/.test(text);
  const [whole = "", fraction = ""] = text.split(".");
  const digits = `${whole}${fraction.replace(/0+$/, "")}`.replace(/^-?0*/, "").length;
  return digits <= 15 || (!/[1-9]/.test(fraction) && Number.isSafeInteger(Number(whole)));
}
