import { withWholeCommands } from "./output.ts";
import { screen } from "./screen.ts";
import { textWidth, wrapText } from "../core/text-width.ts";

/** A fact in a line: what it is about, and what is known of it; null where nothing is, then it takes no line. */
export type Fact = readonly [name: string, value: string | null];

/** Facts, a line each, their values one under the other; a long value goes on under its beginning. */
export function factList(facts: readonly Fact[], columns: number = screen().columns): string {
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== null);
  const indent = Math.max(0, ...known.map(([name]) => textWidth(name))) + 2;
  return known
    .flatMap(([name, value]) =>
      wrapText(withWholeCommands(value, columns - indent), columns - indent).map(
        (line, at) => `${at === 0 ? name + " ".repeat(indent - textWidth(name)) : " ".repeat(indent)}${line}`,
      ),
    )
    .join("\n");
}
