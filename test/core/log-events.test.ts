import { expect, test } from "vitest";
import { logEvents } from "../../src/core/log-events.ts";
import { sourcesIn } from "../support/imports.ts";

/** A call of a log: its level where it is written down, and its last argument. */
const call = /\blog(?:\.(debug|info|warn|error)|\[[^\]]+\])\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g;

const sources = sourcesIn("src", "jobs").filter(({ file }) => file !== "src/core/log.ts");
const calls = sources.flatMap(({ file, text }) =>
  [...text.matchAll(call)].map(([, level, inner = ""]) => ({ file, level, name: /"([^"]+)",?\s*$/.exec(inner)?.[1] })),
);

test("every event that is logged has a constant name that is in the list, and a level as the list says", () => {
  const list: Readonly<Record<string, { readonly level: string }>> = logEvents;
  expect(calls.length).toBeGreaterThan(20);
  expect(calls.filter(({ name }) => name === undefined || !(name in list))).toEqual([]);
  expect(calls.filter(({ level, name = "" }) => level !== undefined && level !== list[name]?.level)).toEqual([]);
});

test("every event of the list is logged somewhere", () => {
  const names = new Set(calls.map(({ name }) => name));
  expect(Object.keys(logEvents).filter((name) => !names.has(name))).toEqual([]);
});
