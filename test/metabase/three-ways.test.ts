import fc from "fast-check";
import { expect, test } from "vitest";
import { compareThreeWays, digestsOf } from "../../src/metabase/three-ways.ts";

const compare = (wanted: object, current: object, applied: object, overwrite = false) =>
  compareThreeWays({ wanted: { ...wanted }, current: { ...current }, applied: digestsOf({ ...applied }), overwrite });

test("what we applied and now want otherwise is set; what somebody changed is left", () => {
  expect(compare({ name: "b" }, { name: "a" }, { name: "a" })).toEqual({ set: ["name"], left: [] });
  expect(compare({ name: "b" }, { name: "mine" }, { name: "a" })).toEqual({ set: [], left: ["name"] });
  expect(compare({ name: "b" }, { name: "mine" }, { name: "a" }, true)).toEqual({ set: ["name"], left: [] });
  expect(compare({ name: "b" }, { name: "b" }, { name: "a" })).toEqual({ set: [], left: [] });
});

test("a property that is new with us is set where there is none, and left where somebody has one", () => {
  expect(compare({ title: "b" }, {}, {})).toEqual({ set: ["title"], left: [] });
  expect(compare({ title: "b" }, { title: null }, {})).toEqual({ set: ["title"], left: [] });
  expect(compare({ title: "b" }, { title: "mine" }, {})).toEqual({ set: [], left: ["title"] });
});

test("the order of keys is no difference", () => {
  expect(compare({ a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }, {})).toEqual({ set: [], left: [] });
  expect(digestsOf({ a: { x: 1, y: [{ p: 1, q: 2 }] } })).toEqual(digestsOf({ a: { y: [{ q: 2, p: 1 }], x: 1 } }));
});

test("whatever is there: what was applied and not touched is never left, and once it is as wanted nothing is to do", () => {
  const values = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue());
  fc.assert(
    fc.property(values, values, (before, wanted) => {
      const held = Object.fromEntries(Object.entries(before).filter(([, value]) => value !== null));
      const asked = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== null));
      const { set, left } = compare(asked, held, held);
      expect(left).toEqual([]);
      const after = { ...held, ...Object.fromEntries(set.map((name) => [name, asked[name]])) };
      expect(compare(asked, after, asked)).toEqual({ set: [], left: [] });
    }),
  );
});
