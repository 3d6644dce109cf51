import { describe, expect, test } from "vitest";
import { isWanted, type Only } from "../../src/planner/request.ts";

const scope = { store: "ios", app: "42", country: "US" };
const wanted = (only: Only, of: Readonly<Record<string, string>> = scope, stage: "portfolio" | "market" = "market") =>
  isWanted(of, { stage }, only);

describe("a request that names apps or countries", () => {
  test("takes partitions of these apps, with the store before the id or without", () => {
    expect(wanted({ apps: ["42"] })).toBe(true);
    expect(wanted({ apps: ["7", "ios:42"] })).toBe(true);
    expect(wanted({ apps: ["android:42"] })).toBe(false);
    expect(wanted({ apps: ["4"] })).toBe(false);
  });

  test("takes partitions of these countries, in any case", () => {
    expect(wanted({ countries: ["us"] })).toBe(true);
    expect(wanted({ countries: ["DE"] })).toBe(false);
    expect(wanted({ apps: ["42"], countries: ["DE"] })).toBe(false);
  });

  test("takes what is about no app only where no app is named, and what is about no country always", () => {
    const chart = { store: "ios", country: "US" };
    expect(wanted({ countries: ["US"] }, chart)).toBe(true);
    expect(wanted({ apps: ["42"] }, chart)).toBe(false);
    expect(wanted({ countries: ["DE"] }, { store: "ios", app: "42" })).toBe(true);
  });

  test("still reads the portfolio, of the named apps as far as it is about one", () => {
    expect(wanted({ apps: ["42"] }, {}, "portfolio")).toBe(true);
    expect(wanted({ apps: ["42"] }, { store: "ios", app: "7" }, "portfolio")).toBe(false);
  });

  test("takes everything where it names nothing, and nothing where it names none", () => {
    expect(wanted({})).toBe(true);
    expect(wanted({ apps: [] })).toBe(false);
  });
});
