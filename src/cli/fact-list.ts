import { withWholeCommands } from "./output.ts";
import { screen } from "./screen.ts";
import { textWidth, wrapText } from "../core/text-width.ts";

/** A fact on one line: its name and its value. A fact with the value null takes no line. */
export type Fact = readonly [name: string, value: string | null];

/** Facts, one per line, with aligned values; a long value continues under its beginning. */
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
