import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../src/config/read-yaml.ts";
import { openSettingsFile, schema } from "../support/settings-file.ts";
import { forTests } from "../support/for-tests.ts";

const given = forTests(openSettingsFile);
const read = (yaml: string) => given.read(yaml);

describe("invalid YAML is reported with its line", () => {
  test.each([
    ["a bracket that stays open", 2, "portfolio: {\napi: [\n"],
    ["a tab", 2, "api:\n\tconcurrency: 1\n"],
    ["a key that comes twice", 3, "api: {}\ndatasets: {}\napi: {}\n"],
    ["two documents", 2, "api: {}\n---\napi: {}\n"],
    ["an alias without its anchor", 2, "datasets: {}\napi: *fast\n"],
  ])("%s", async (_, line, yaml) => {
    await expect(read(yaml)).rejects.toMatchObject({
      name: "UsageError",
      code: "bad_config",
      context: { file: given.file, line },
    });
  });

  test("a second document in words for people", async () => {
    await expect(read("api: {}\n---\napi: {}\n")).rejects.toThrow("a second document begins here (---)");
  });

  test("an alias with its anchor is no problem", async () => {
    const floors = "{ snapshot: &same 0.1, daily: *same }";
    expect((await read(`credits: { floors: ${floors} }`)).credits.floors).toMatchObject({ snapshot: 0.1, daily: 0.1 });
  });

  test.each([
    ["a list", "- api\n"],
    ["a word", "api\n"],
  ])("%s instead of settings", async (_, yaml) => {
    await expect(read(yaml)).rejects.toMatchObject({
      code: "bad_config",
      context: { file: given.file, line: 1, key: undefined },
    });
  });
});

test.each(["latin1", "utf16le"] as const)(
  "a file in %s is refused with its line: its keywords would be others",
  async (encoding) => {
    const text = "\uFEFFportfolio:\n  apps: [{ id: 1, countries: [DE], keywords: [für] }]\n";
    await writeFile(given.file, Buffer.from(encoding === "latin1" ? text.slice(1) : text, encoding));
    expect(() => readSettings(given.file, schema)).toThrow(/line [12]:  ?is not valid UTF-8: save the file as UTF-8; /);
  },
);

test("an alias within what it stands for is refused with its line", async () => {
  await expect(read("api: {}\nportfolio: &all\n  apps: [*all]\n")).rejects.toThrow(
    /line 3:  ?\*all refers to itself; /,
  );
});

test("a file that cannot be read is reported by name", () => {
  expect(() => readSettings(given.folder, schema)).toThrow(
    expect.objectContaining({
      name: "UsageError",
      code: "unreadable_file",
      context: { file: given.folder, cause: "EISDIR" },
    }),
  );
});
