import { isDeepStrictEqual } from "node:util";
import { type Document, isCollection, isMap, isSeq, parseDocument, visit } from "yaml";
import type { Settings } from "./settings.ts";
import { writtenYaml } from "./written-yaml.ts";

/** An app of the portfolio as the configuration lists it. */
export type NewApp = {
  readonly id: string;
  readonly countries: readonly string[];
  readonly keywords: readonly string[];
};

/** Changes to config/storehouse.yaml; what is left out stays unchanged. */
export type SettingsChange = {
  readonly source?: Settings["portfolio"]["source"];
  /** Apps that are added, or replace those with the same id. */
  readonly apps?: readonly NewApp[];
  /** Datasets that are switched on or off. */
  readonly datasets?: Readonly<Record<string, boolean>>;
};

/**
 * The text of the configuration file with some settings changed. Everything else stays, including comments, order and spaces (see
 * `writtenYaml`); aliases (`*name`) are expanded if a setting that they share is changed.
 */
export function editedSettings(text: string, change: SettingsChange): string {
  const written = edited(withoutNames(parseDocument(text)), change);
  if (written === null) return text;
  const named = edited(parseDocument(text), change);
  const keepsNames = named !== null && isDeepStrictEqual(valuesIn(named), written.toJS());
  return writtenYaml(keepsNames ? named : written, text);
}

/** The values of a document; null if an alias in it no longer has an anchor. */
function valuesIn(document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    if (error instanceof ReferenceError) return null;
    throw error;
  }
}

/** A document with some settings changed; null if it already has them all. */
function edited(document: Document, { source, apps = [], datasets = {} }: SettingsChange): Document | null {
  const changes = [
    ...(source === undefined ? [] : [[["portfolio", "source"], source] as const]),
    ...Object.entries(datasets).map(([name, on]) => [["datasets", name, "on"], on] as const),
  ].filter(([path, value]) => document.getIn(path) !== value);
  if (changes.length === 0 && apps.length === 0) return null;
  for (const [path, value] of changes) setIn(document, path, value);
  for (const app of apps) addApp(document, app);
  return document;
}

/** Expands aliases (`*name`): otherwise a change of one setting would change all that share it, or lose what they share. */
function withoutNames(document: Document): Document {
  visit(document, { Alias: (_, alias) => document.createNode(alias.resolve(document)?.clone()) });
  visit(document, { Value: (_, node) => void delete node.anchor });
  return document;
}

/** Sets a value; missing or empty levels above it become blocks. */
function setIn(document: Document, path: readonly string[], value: unknown): void {
  for (let depth = 0; depth < path.length; depth += 1) {
    const parent = path.slice(0, depth);
    if (!isCollection(parentAt(document, parent))) document.setIn(parent, document.createNode({}));
    const node = parentAt(document, parent);
    if (isCollection(node) && node.items.length === 0) node.flow = false;
  }
  document.setIn(path, value);
}

function parentAt(document: Document, path: readonly string[]): unknown {
  return path.length === 0 ? document.contents : document.getIn(path, true);
}

function addApp(document: Document, app: NewApp): void {
  const path = ["portfolio", "apps"];
  if (!isSeq(document.getIn(path, true))) setIn(document, path, document.createNode([]));
  const list = document.getIn(path, true);
  if (!isSeq(list)) return;
  if (list.items.length === 0) list.flow = false;
  const at = list.items.findIndex((item) => isMap(item) && String(item.get("id")) === app.id);
  const node = document.createNode(appOf(app));
  for (const part of ["countries", "keywords"]) {
    const inner = node.get(part, true);
    if (isSeq(inner)) inner.flow = true;
  }
  if (at === -1) list.add(node);
  else list.set(at, node);
}

/** A number stays a number, as people write track ids of iOS. */
function appOf({ id, countries, keywords }: NewApp) {
  const number = Number(id);
  const written = String(number) === id && number > 0 && Number.isSafeInteger(number) ? number : id;
  return { id: written, countries: [...countries], ...(keywords.length === 0 ? {} : { keywords: [...keywords] }) };
}
