import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { UsageError } from "../../src/core/errors.ts";
import { settingsIn } from "../../src/planner/settings-in.ts";
import { long } from "../support/long.ts";

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};
type Path = readonly (string | number)[];

/** Every place of the configuration, with one name for each that people choose. */
function places(schema: Schema, at: Path = []): readonly Path[] {
  const { properties = {}, additionalProperties: any, items, anyOf = [], allOf = [] } = schema;
  const named = typeof any === "object" ? [["some_name", any] as const] : [];
  return [
    ...[...Object.entries(properties), ...named].flatMap(([key, inner]) => [
      [...at, key],
      ...places(inner, [...at, key]),
    ]),
    ...(items === undefined ? [] : places(items, [...at, 0])),
    ...[...anyOf, ...allOf].flatMap((one) => places(one, at)),
  ];
}

const holding = (at: Path, value: unknown): unknown =>
  at.reduceRight<unknown>((inner, key) => (key === 0 ? [inner] : { [key]: inner }), value);

/** Each day a place is tried with two of them at most, in turn; in the long run with all. */
const odd = ["", "x", -1, 0.5, [], [null], [[1]], { a: 1 }, true];

test("each key refuses what does not fit it with one error that names it, in plain words", async () => {
  const schema = JSON.parse(readFileSync(path.join(projectRoot, "config", "storehouse.schema.json"), "utf8")) as Schema;
  const folder = await mkdtemp(path.join(tmpdir(), "storehouse-keys-"));
  const file = path.join(folder, "storehouse.yaml");
  const said = new Set<string>();
  for (const [place, at] of places(schema).entries())
    for (const value of long ? odd : odd.filter((_, index) => (place + index) % 5 === 0)) {
      // a file of JSON is one of YAML
      await writeFile(file, JSON.stringify(holding(at, value)));
      const error = errorOf(() => settingsIn(file));
      if (error === null) continue;
      expect([at, value, error]).toEqual([at, value, expect.any(UsageError)]);
      const { message } = error as UsageError;
      said.add(message.replace(/^.*line \d+: /, ""));
      expect(message).toContain(at[0]);
      expect(message).not.toMatch(/Invalid|expected|received|undefined|\[object|NaN/);
    }
  expect(said.size).toBeGreaterThan(long ? 400 : 150);
  await rm(folder, { recursive: true });
});

function errorOf(read: () => unknown): unknown {
  try {
    read();
    return null;
  } catch (error) {
    return error;
  }
}
