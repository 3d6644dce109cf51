import fc from "fast-check";
import { expect, test } from "vitest";
import { aboutText } from "../../src/core/about.ts";
import { scopeKey } from "../../src/core/slice.ts";

test("equal scopes have equal keys, in any order of their names", () => {
  expect(scopeKey({ store: "ios", app: "1", country: "US" })).toBe(scopeKey({ country: "US", store: "ios", app: "1" }));
  expect(scopeKey({})).toBe("[]");
});

test("different scopes have different keys, for any values", () => {
  const text = fc.oneof(fc.constantFrom(`","`, `"],["`, "=", ",", ""), fc.string());
  const scopes = fc.dictionary(text, text, { maxKeys: 3, noNullPrototype: true });
  fc.assert(
    fc.property(scopes, scopes, (one, other) => {
      const sorted = (scope: Record<string, string>) => JSON.stringify(Object.entries(scope).sort());
      expect(scopeKey(one) === scopeKey(other)).toBe(sorted(one) === sorted(other));
    }),
  );
  expect(scopeKey({ a: "1", b: "2" })).not.toBe(scopeKey({ a: "2", b: "1" }));
  expect(scopeKey({ a: '1","b' })).not.toBe(scopeKey({ a: "1", b: "" }));
});

test("whom a slice is about names the id beside the app, which has one name in both stores", () => {
  const scope = { store: "ios", app: "6446318020", country: "US" };
  expect(aboutText({ scope, appName: "Lumi", itemCount: 12 })).toBe("Lumi (6446318020), US, 12 items");
  expect(aboutText({ scope, appName: null, itemCount: 1 })).toBe("6446318020, US, 1 item");
  expect(aboutText({ scope: { store: "ios", country: "US" }, appName: null, itemCount: 0 })).toBe("ios, US");
  expect(aboutText({ scope: {}, appName: null, itemCount: 0 })).toBe("the account");
});
