import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseEnv } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { editedEnv } from "../../src/config/edit-env.ts";
import { editedSettings } from "../../src/config/edit-yaml.ts";
import { readSettings } from "../../src/config/read-yaml.ts";
import { replaceFile } from "../../src/config/replace-file.ts";

const shipped = readFileSync(path.join(projectRoot, "config", "storehouse.yaml"), "utf8");
const commentsOf = (text: string) => [...text.matchAll(/#.*$/gm)].map(([comment]) => comment).sort();

describe("an edited .env", () => {
  test("keeps what is not named, comments with it, and replaces each line once", () => {
    const text = "# mine\nexport API_TOKEN=old\nOTHER=1\nAPI_TOKEN=older\n";
    expect(editedEnv(text, { API_TOKEN: "new", DATABASE_URL: null })).toBe("# mine\nAPI_TOKEN=new\nOTHER=1\n");
    expect(editedEnv("API_TOKEN_FILE=/run/token\nDATABASE_URL=x\n", { API_TOKEN: "new", DATABASE_URL: null })).toBe(
      "API_TOKEN=new\nDATABASE_URL=\n",
    );
    expect(editedEnv("", { A: "1" })).toBe("A=1\n");
  });

  test("is read back as it was given, with any characters in a value", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary-ascii", minLength: 1 }).filter((text) => /^[ -~]+$/.test(text)),
        (value) => {
          const kinds = ["'", '"', "`"].filter((quote) => value.includes(quote)).length;
          fc.pre(kinds < 3);
          expect(parseEnv(editedEnv("# c\nB=2\n", { A: value }))).toEqual({ A: value, B: "2" });
        },
      ),
    );
  });

  test("refuses a value that no quotes hold", () => {
    expect(() => editedEnv("", { A: "#'\"`" })).toThrow("A cannot be written");
  });
});

describe("an edited configuration file", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-edit-"));
  const settingsOf = (text: string) => {
    const file = path.join(folder, "s.yaml");
    writeFileSync(file, text);
    return readSettings(file);
  };
  const app = { id: "123", countries: ["US"], keywords: ["a, b: c"] };

  test("without changes is the same text, and with some keeps every comment and every other setting", () => {
    expect(editedSettings(shipped, {})).toBe(shipped);
    expect(editedSettings(shipped, { source: "account", apps: [], datasets: {} })).toBe(shipped);
    const edited = editedSettings(shipped, { source: "both", apps: [app], datasets: { review: false } });
    expect(commentsOf(edited)).toEqual(expect.arrayContaining(commentsOf(shipped)));
    // an example of a section of its own does not become one of the section above it
    expect(edited.match(/^ *# (accounts|alerts):/gm)).toEqual(["# accounts:", "# alerts:"]);
    const before = settingsOf(shipped);
    expect(settingsOf(edited)).toEqual({
      ...before,
      portfolio: { ...before.portfolio, source: "both", apps: [app] },
      datasets: { review: { on: false } },
    });
  });

  test("keeps each line that is not changed as it was written, to the space", () => {
    const mine =
      "portfolio:\n  source: config      # for now\n  apps:\n    - {id: 7, countries: [US, GB]}   # ours\n    - { id: 8, countries: [ JP ] }\napi:\n  concurrency: 2    # slow\n  store_words: {ios: a,  android: b}\n";
    expect(editedSettings(mine, { source: "both", datasets: { review: false } })).toBe(
      `${mine.replace("config      # for now", "both # for now")}datasets:\n  review:\n    on: false\n`,
    );
    expect(editedSettings(mine, { apps: [app] })).toContain("{ id: 8, countries: [ JP ] }\n    - id: 123\n");
    const shippedLines = editedSettings(shipped, { source: "both", apps: [app], datasets: { review: true } }).split(
      "\n",
    );
    expect(shipped.split("\n").filter((line) => !shippedLines.includes(line))).toEqual([
      "  source: account # account, config or both",
      "  apps: []",
      "datasets: {}",
    ]);
    // other indentation than that of new lines
    const wide = "portfolio:\n    apps:\n        -   id: 7   # ours\n            countries: [US]\n";
    expect(settingsOf(editedSettings(wide, { apps: [app] })).portfolio.apps).toHaveLength(2);
  });

  test("run again changes what is answered otherwise, in place", () => {
    const mine =
      "portfolio:\n  apps:\n    # the first\n    - id: 123\n      countries: [US]\n    - id: com.example.b # the second\n      countries: [JP]\ndatasets:\n  review: # dear\n    history_days: 9\n";
    const edited = editedSettings(mine, { apps: [app, { ...app, id: "com.example.c" }], datasets: { review: false } });
    expect(commentsOf(edited)).toEqual(commentsOf(mine));
    const { portfolio, datasets } = settingsOf(edited);
    expect(portfolio.apps.map(({ id, countries }) => [id, ...countries])).toEqual([
      ["123", "US"],
      ["com.example.b", "JP"],
      ["com.example.c", "US"],
    ]);
    expect(datasets).toEqual({ review: { history_days: 9, on: false } });
  });

  test("changes one of several settings that share a name alone, and keeps what the others share", () => {
    const shared = "datasets:\n  review: &few { on: true, history_days: 9 }\n  app_rating: *few\n";
    const others = { on: true, history_days: 9 };
    const { datasets } = settingsOf(editedSettings(shared, { datasets: { review: false } }));
    expect(datasets).toEqual({ review: { on: false, history_days: 9 }, app_rating: others });
    expect(editedSettings(shared, { datasets: { app_rating: true } })).toBe(shared);
    const behind = settingsOf(editedSettings(shared, { datasets: { app_rating: false } }));
    expect(behind.datasets).toEqual({ review: others, app_rating: { on: false, history_days: 9 } });
  });

  test("keeps the names of what other settings share", () => {
    const shared =
      "portfolio:\n  apps:\n    - id: 1\n      countries: [ US ]\n      keywords: &words [ a, b ]\n    - id: 2\n      countries: [ US ]\n      keywords: *words\n";
    const edited = editedSettings(shared, { datasets: { review: false } });
    expect(edited).toBe(`${shared}datasets:\n  review:\n    on: false\n`);
    // the app that has the name, which the other one shares
    const replaced = editedSettings(shared, { apps: [{ ...app, id: "1" }] });
    expect(settingsOf(replaced).portfolio.apps.map(({ keywords }) => keywords)).toEqual([app.keywords, ["a", "b"]]);
  });

  test.each(["", "# nothing yet\n", "portfolio:\ndatasets:\n"])("begins with %j as well", (text) => {
    const { portfolio, datasets } = settingsOf(
      editedSettings(text, { source: "config", apps: [app], datasets: { review: true } }),
    );
    expect([portfolio.source, portfolio.apps, datasets]).toEqual(["config", [app], { review: { on: true } }]);
  });

  test.skipIf(process.getuid?.() !== 0)("a file that root replaces stays its owner's", () => {
    const file = path.join(folder, "of-a-service");
    replaceFile(file, "one", { mode: 0o600 });
    chownSync(file, 12_345, 12_346);
    replaceFile(file, "two", { mode: 0o600 });
    const { uid, gid, mode } = statSync(file);
    expect([uid, gid, mode & 0o777]).toEqual([12_345, 12_346, 0o600]);
  });

  test("a file is replaced as a whole, with its mode or the one that is named, and never by one that does not fit", () => {
    const file = path.join(folder, "kept");
    replaceFile(file, "one", { mode: 0o600 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o640);
    replaceFile(file, "two");
    expect([statSync(file).mode & 0o777, readFileSync(file, "utf8")]).toEqual([0o640, "two"]);
    const check = () => {
      throw new Error("does not fit");
    };
    expect(() => replaceFile(file, "three", { check })).toThrow("does not fit");
    expect([readFileSync(file, "utf8"), existsSync(`${file}.new`)]).toEqual(["two", false]);
    expect(() => replaceFile(path.join(folder, "none", "file"), "x")).toThrow(/unwritable_file/);
    rmSync(folder, { recursive: true });
  });
});
