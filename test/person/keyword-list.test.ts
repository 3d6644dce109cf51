import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { keywordChanges } from "../../src/person/keyword-changes.ts";
import { keywordsGiven } from "../../src/person/keyword-list.ts";
import { folderForTests } from "../support/folder.ts";

const folder = folderForTests();

async function fileOf(content: string | Buffer): Promise<string> {
  const file = path.join(folder, "keywords.txt");
  await writeFile(file, content);
  return file;
}

describe("a file of keywords", () => {
  test("has one keyword a line, with any line ending, with or without a mark at its start", async () => {
    for (const text of ["habit\nto do list\n", "habit\r\nto do list", "\uFEFFhabit\rto do list\r\r"])
      expect(keywordsGiven([], await fileOf(text), "add")).toEqual({ keywords: ["habit", "to do list"], repeats: 0 });
  });

  test("may hold empty lines and comments; a keyword may begin with # all the same", async () => {
    const file = await fileOf("# for spring\n\n  \n#\n#1 planner\n  # indented\nc# course\n");
    expect(keywordsGiven([], file, "add").keywords).toEqual(["#1 planner", "c# course"]);
  });

  test("names a keyword once, however often and however it is spelled, in the order and spelling given first", async () => {
    const file = await fileOf("Habit  Tracker\nhabit tracker \nCafe\u0301\ncafé\nタスク\n");
    expect(keywordsGiven(["タスク"], file, "add")).toEqual({
      keywords: ["タスク", "Habit Tracker", "Cafe\u0301"],
      repeats: 3,
    });
  });

  test("keeps commas, quotes and signs as they are", async () => {
    const words = ['"quoted"', "to-do, list", "50% off", "🧘 yoga", "..."];
    expect(keywordsGiven([], await fileOf(words.join("\n")), "add").keywords).toEqual(words);
  });

  test("of dots alone that no request can name is refused when it is added, and can be removed", async () => {
    const read = (use: "add" | "remove") => keywordsGiven([".", "fine", " .. "], undefined, use);
    expect(() => read("add")).toThrow("'.': a keyword cannot be . or ..");
    expect(() => read("add")).toThrow("'..': a keyword");
    expect(read("remove").keywords).toEqual([".", "fine", ".."]);
  });

  test("that does not fit is refused with every line that is wrong", async () => {
    const file = await fileOf(`fine\n${"x".repeat(254)}\n${"y".repeat(255)}\n\nhalf\0\n`);
    const read = () => keywordsGiven([], file, "add");
    expect(read).toThrow(`'${"y".repeat(40)}...' of 255 characters (${file} line 3): a keyword is shorter than 255`);
    expect(read).toThrow("line 5): a keyword must not contain U+0000");
    expect(read).not.toThrow("line 2");
  });

  test.each([
    ["nothing", "", "contains no keyword"],
    ["comments alone", "# a\n\n", "contains no keyword"],
    ["no UTF-8", Buffer.from([0xff, 0xfe, 0x61, 0x00]), "is not UTF-8 text"],
  ])("of %s is refused", async (_, content, problem) => {
    const file = await fileOf(content);
    expect(() => keywordsGiven([], file, "add")).toThrow(problem);
  });
});

describe("what would change", () => {
  const tracked = ["habit tracker", "café", "to do"];

  test("adds what is not tracked, in any spelling", () => {
    expect(keywordChanges("add", ["Habit Tracker", "yoga", "cafe\u0301"], tracked)).toEqual({
      add: ["yoga"],
      remove: [],
      left: ["Habit Tracker", "cafe\u0301"],
    });
  });

  test("removes by the account's own spelling, and of two spellings the one that is named", () => {
    expect(keywordChanges("remove", ["TO DO", "yoga"], tracked)).toEqual({
      add: [],
      remove: ["to do"],
      left: ["yoga"],
    });
    expect(keywordChanges("remove", ["Yoga"], ["yoga", "Yoga"]).remove).toEqual(["Yoga"]);
    expect(keywordChanges("remove", ["YOGA"], ["yoga", "Yoga"]).remove).toEqual(["yoga", "Yoga"]);
  });

  test("brings in line: adds what is missing, removes what is not named, leaves the rest", () => {
    expect(keywordChanges("sync", ["yoga", "Café"], tracked)).toEqual({
      add: ["yoga"],
      remove: ["habit tracker", "to do"],
      left: ["Café"],
    });
  });

  test("sends all that is named where it is not known what is tracked, and removes nothing that is not named", () => {
    expect(keywordChanges("add", ["a"], null)).toEqual({ add: ["a"], remove: [], left: [] });
    expect(keywordChanges("remove", ["a"], null)).toEqual({ add: [], remove: ["a"], left: [] });
    expect(keywordChanges("sync", ["a"], null)).toEqual({ add: ["a"], remove: [], left: [] });
  });
});
