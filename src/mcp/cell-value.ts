import pg from "pg";

/** A value of an answer as in JSON. */
export type CellValue = string | number | boolean | null | object;

const { BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC, JSON: json, JSONB } = pg.types.builtins;
const numbers: ReadonlySet<number> = new Set([INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC]);

/** How values of a type are read from the text that Postgres sends. A number that JSON would round stays text. */
export function cellReader(type: number): (text: string | null) => CellValue {
  if (type === BOOL) return (text) => (text === null ? null : text === "t");
  if (type === json || type === JSONB) return (text) => (text === null ? null : (JSON.parse(text) as CellValue));
  if (numbers.has(type)) return (text) => (text === null ? null : numberOf(text));
  return (text) => text;
}

function numberOf(text: string): CellValue {
  const number = Number(text);
  const isInteger = Number.isSafeInteger(number) && /^-?\d+(\.0+)?$/.test(text);
  const isExact = Number.isFinite(number) && (isInteger || digitsOf(text) <= 15);
  return isExact ? number : text;
}

/** The digits of a number; a double keeps 15 of them for any value. */
function digitsOf(text: string): number {
  return text.replace(/e.*$/i, "").replaceAll(/^-?0*\.?0*|\./g, "").length;
}
