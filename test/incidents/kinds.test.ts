import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { checks } from "../../src/incidents/checks.ts";
import { incidentKinds, kindNamed, summaryOf, type IncidentKind } from "../../src/incidents/kinds.ts";

const since = "2026-11-22 03:58 UTC";
const kinds = Object.keys(incidentKinds) as IncidentKind[];

/** The command line in a message, as its words. */
function commandIn(text: string): readonly string[] {
  const commands = [...text.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command);
  expect(commands).toHaveLength(1);
  return (commands[0] ?? "").split(" ");
}

describe.each(kinds)("the message about %s", (kind) => {
  const { example } = incidentKinds[kind];
  const text = summaryOf({ kind, facts: example }, since);

  test("is two plain sentences with since when it is so", () => {
    expect(text.replaceAll(/[$.][\w$]/g, "x").split(/\.(?:\s|$)/)).toHaveLength(3);
    expect(text).toMatch(/\b(?:since|from) (2026-11-22 03:58|\d{4}-\d\d-\d\d) UTC/);
    expect(text).not.toMatch(/[:,] ?\)/);
    expect(text.length).toBeLessThan(500);
  });

  test("has no number of milliseconds, no fact that is not known and no advice twice", () => {
    expect(text).not.toMatch(/\d{11}|undefined|null|NaN|\[object|\{|T\d\d:\d\d/);
    expect(text.match(/storehouse [a-z]/g)).toHaveLength(1);
  });

  test("names one command that can be typed", async () => {
    const [program, name, ...options] = commandIn(text);
    expect(program).toBe("storehouse");
    const entry = commandTable.find((one) => one.name === name);
    const command = new Command(name);
    (await entry?.load())?.(command);
    const known = [...command.options.map(({ long }) => long), ...command.commands.map((one) => one.name())];
    for (const option of options.filter((one, index) => one.startsWith("--") || index === 0))
      expect(known).toContain(option);
  });

  test("names what else is wrong because of it", () => {
    expect(summaryOf({ kind, facts: example }, since, ["review", "top_chart"])).toContain(
      "(affected: review, top_chart)",
    );
  });
});

test("one check, or another room, finds each kind", () => {
  expect(checks.flatMap((check) => check.kinds).sort()).toEqual(kinds.toSorted());
});

test("a kind is an effect of kinds that there are", () => {
  for (const kind of kinds) for (const cause of kindNamed(kind)?.under ?? []) expect(kinds).toContain(cause);
});
