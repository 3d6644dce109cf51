/** An address with these fields in its query, except empty ones. */
export function pageAddress(path: string, fields: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  const query = new URLSearchParams(given).toString();
  return query === "" ? path : `${path}?${query}`;
}
