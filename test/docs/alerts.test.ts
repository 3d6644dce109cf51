import { expect, test } from "vitest";
import { alertKinds } from "../../src/config/alert-kinds.ts";
import { Condition, whomColumns } from "../../src/config/alert-condition.ts";
import { alertMarts } from "../../src/config/alert-marts.ts";
import { pageAt } from "../support/pages.ts";

const { text } = pageAt("docs/alerts.md");
const rows = text.split("\n").filter((line) => line.startsWith("|"));

test("the page of alerts has every kind with its option, every mart with its columns, every condition and part of for", () => {
  const lacking = Object.entries(alertKinds)
    .map(([kind, { option }]) => `| \`${kind}\` | \`${option}\``)
    .filter((start) => !rows.some((row) => row.startsWith(start)));
  expect(lacking).toEqual([]);
  for (const [mart, { columns }] of Object.entries(alertMarts)) {
    const row = rows.find((one) => one.startsWith(`| \`${mart}\` |`)) ?? "";
    const left = Object.keys(columns).filter((column) => !row.includes(`\`${column}\``));
    expect([mart, left]).toEqual([mart, []]);
  }
  const words = [...Object.keys(Condition.shape), ...Object.keys(whomColumns)];
  expect(words.filter((word) => !new RegExp(`\`${word}(: true)?\``).test(text))).toEqual([]);
});
