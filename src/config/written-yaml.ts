import { isDeepStrictEqual } from "node:util";
import { type Document, parse } from "yaml";

/**
 * The text of an edited document, spaced as the text before it: the library would align comments and pad lists in its own way in each line.
 * Repeated empty lines become one. If new lines do not fit the indentation before, all lines are indented anew.
 */
export function writtenYaml(document: Document, before: string): string {
  // as in the file: [US] or [ US ]
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: /\[ +[^\s\]]/.test(before) });
  const old = before.split("\n");
  const spaced = spacedAs(old, joinedAs(old, text.split("\n"))).join("\n");
  return isSame(spaced, text) ? spaced : text;
}

/** The new lines, each as it is in the old ones if only its spaces differ. */
function spacedAs(old: readonly string[], lines: readonly string[]): readonly string[] {
  const [oldKeys, keys] = [old.map(withoutSpaces), lines.map(withoutSpaces)];
  let at = 0;
  return lines.map((line, index) => {
    const gone = oldKeys.indexOf(keys[index] ?? "", at) - at;
    const added = keys.indexOf(oldKeys[at] ?? "", index) - index;
    // the nearer of the two: old lines that are gone, or new ones before the next old one
    if (gone < 0 || (added >= 0 && added < gone)) return line;
    at += gone + 1;
    return old[at - 1] ?? line;
  });
}

/** The new lines, with a comment in the line of its key where it is there in an old one: the library moves it to the next line. */
function joinedAs(old: readonly string[], lines: readonly string[]): readonly string[] {
  const known = new Set(old.map(withoutSpaces));
  const isMoved = (at: number) =>
    lines[at]?.trimStart().startsWith("#") === true && known.has(withoutSpaces(`${lines[at - 1]}${lines[at]}`));
  return lines.flatMap((line, at) =>
    isMoved(at) ? [] : isMoved(at + 1) ? [`${line} ${lines[at + 1]?.trim()}`] : [line],
  );
}

function withoutSpaces(line: string): string {
  return line.replaceAll(/\s/g, "");
}

function isSame(spaced: string, text: string): boolean {
  try {
    return isDeepStrictEqual(parse(spaced), parse(text));
  } catch {
    return false;
  }
}
