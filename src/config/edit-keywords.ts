import { type Document, isAlias, isMap, isNode, isScalar, isSeq, parseDocument, type YAMLSeq } from "yaml";
import { writtenYaml } from "./written-yaml.ts";

/** Keywords to add to a list and to remove from it, as they are written there. */
export type ListChange = { readonly add: readonly string[]; readonly remove: readonly string[] };

/** A list of more keywords has a line for each. */
const mostOnALine = 10;

/**
 * The text of the configuration file with other keywords of one entry of portfolio.apps (counted from 0), or in the portfolio of `account`;
 * null if the entry is an alias (`*name`). Everything else stays, including comments and spaces (see `writtenYaml`): a comment above a removed keyword moves to the next.
 */
export function editedKeywords(
  text: string,
  index: number,
  { add, remove, account = "" }: ListChange & { readonly account?: string },
): string | null {
  const document = parseDocument(text);
  const list = ownList(document, [...(account === "" ? [] : ["accounts", account]), "portfolio", "apps", index]);
  if (list === null) return null;
  takeOut(list, new Set(remove));
  for (const keyword of add) list.add(document.createNode(keyword));
  if (list.items.length > mostOnALine || (list.items.length > 0 && list.flow !== true)) list.flow = false;
  else list.flow = true;
  return writtenYaml(document, text);
}

/** The list of keywords of an entry: its own, or a copy if it is an alias. */
function ownList(document: Document, path: readonly (string | number)[]): YAMLSeq | null {
  const entry = document.getIn(path, true);
  if (!isMap(entry)) return null;
  const known = entry.get("keywords", true);
  if (isSeq(known)) return known;
  const shared: unknown = isAlias(known) ? known.toJS(document) : [];
  const own = document.createNode(Array.isArray(shared) ? shared : []);
  if (!isSeq(own)) return null;
  own.flow = true;
  entry.set("keywords", own);
  return own;
}

function takeOut(list: YAMLSeq, gone: ReadonlySet<string>): void {
  let above: string | null = null;
  const kept = list.items.filter((item) => {
    const comment = isNode(item) ? joined(above, item.commentBefore) : above;
    const stays = !(isScalar(item) && gone.has(String(item.value)));
    if (stays && isNode(item)) item.commentBefore = comment;
    above = stays ? null : comment;
    return stays;
  });
  list.items = kept;
  list.comment = joined(above, list.comment);
}

function joined(...comments: readonly (string | null | undefined)[]): string | null {
  const all = comments.filter((comment) => comment != null);
  return all.length === 0 ? null : all.join("\n");
}
