/** The cells of a column of a table on a page, as text: the table by its caption, the column by its heading. */
export function columnOf(page: string, caption: string, heading: string): readonly string[] {
  const table = (page.match(/<table>[\s\S]*?<\/table>/g) ?? []).find((one) => textsOf(one, "caption")[0] === caption);
  if (table === undefined) throw new Error(`the page has no table "${caption}"`);
  const place = textsOf(table, "th").indexOf(heading);
  if (place < 0) throw new Error(`the table "${caption}" has no column "${heading}"`);
  const [, body = ""] = table.split("<tbody>");
  return (body.match(/<tr>[\s\S]*?<\/tr>/g) ?? []).map((row) => textsOf(row, "td")[place] ?? "");
}

function textsOf(markup: string, tag: string): readonly string[] {
  const found = markup.matchAll(new RegExp(`<${tag}\\b[^>]*>([\\s\\S]*?)</${tag}>`, "g"));
  return [...found].map(([, inner = ""]) => inner.replaceAll(/<[^>]*>/g, "").trim());
}
