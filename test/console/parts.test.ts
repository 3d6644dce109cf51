import { describe, expect, test } from "vitest";
import { html } from "../../src/console/html.ts";
import { familyStanding } from "../../src/console/parts/family-standing.ts";
import { day } from "../../src/core/day.ts";
import type { CompleteDays } from "../../src/ledger/complete-days.ts";

describe("markup", () => {
  test("escapes whatever is put into it, in text and in attributes", () => {
    const evil = `"><script>alert('1')</script>&`;
    expect(html`<a title="${evil}">${evil}</a>`.markup).toBe(
      '<a title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</a>',
    );
  });

  test("puts markup in as it is, lists one after the other, and nothing for what is not there", () => {
    const list = [html`<b>1</b>`, 2, null, undefined, false, ["<"]] as const;
    expect(html`<p>${list}</p>`.markup).toBe("<p><b>1</b>2&lt;</p>");
  });

  test("takes an object that looks like markup for none", () => {
    expect(() => html`${{ markup: "<script>" }}`.markup).toThrow(TypeError);
  });
});

describe("the standing of a family", () => {
  const days = (dataset: string, change: Partial<CompleteDays> = {}): CompleteDays => ({
    dataset,
    completeTo: day("2026-11-21"),
    places: 4,
    behind: 0,
    failed: 0,
    ...change,
  });
  const late = new Set<string>();

  test.each([
    ["is complete", [days("a"), days("b")], late, "good", "Complete to 2026-11-21."],
    [
      "names what is complete to an earlier day",
      [days("a"), days("b", { completeTo: day("2026-11-19"), behind: 1 })],
      late,
      "warn",
      "Complete to 2026-11-21, b to 2026-11-19; b is behind for 1 of 4 apps and countries.",
    ],
    [
      "names what is late",
      [days("a", { completeTo: day("2026-11-01") })],
      new Set(["a"]),
      "bad",
      "Complete to 2026-11-01; a is late.",
    ],
    ["counts what failed", [days("a", { failed: 2 })], late, "warn", "Complete to 2026-11-21; 2 slices failed."],
    [
      "has no day where a partition has no answer",
      [days("a", { completeTo: null })],
      late,
      "warn",
      "Not complete on any day yet.",
    ],
    ["has nothing where nothing was requested", [], late, "calm", "Nothing is requested yet."],
  ] as const)("%s", (_, own, lateOnes, tone, sentence) => {
    expect(familyStanding({ datasets: ["a", "b"], days: own, late: lateOnes })).toMatchObject({ tone, sentence });
  });

  test("is off where no dataset of it is on", () => {
    expect(familyStanding({ datasets: [], days: [days("a")], late })).toMatchObject({
      tone: "calm",
      sentence: "Off: none of its datasets is on.",
    });
  });
});
