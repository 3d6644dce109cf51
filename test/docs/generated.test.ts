import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { Environment } from "../../src/config/env.ts";
import { generatedFiles } from "../../src/docs/generated.ts";

test("README's tables and the configuration's schema are as the code has them: npm run docs writes them", async () => {
  for (const { file, text } of await generatedFiles())
    expect(await readFile(path.join(projectRoot, file), "utf8")).toBe(text);
});

test(".env.example names every variable, and no other", async () => {
  const example = await readFile(path.join(projectRoot, ".env.example"), "utf8");
  const named = [...example.matchAll(/^([A-Z_]+)=/gm)].map((match) => match[1]);
  expect(named).toEqual(Object.keys(Environment.shape));
});
