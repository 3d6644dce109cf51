import { expect, test } from "vitest";
import { devicesOf, storeOf } from "../../src/core/store.ts";

test.each([
  ["6446318020", "ios"],
  ["1", "ios"],
  ["app.lumi.habit", "android"],
  ["com.app2", "android"],
])("the track id %s belongs to %s", (trackId, store) => {
  expect(storeOf(trackId)).toBe(store);
});

test("iOS distinguishes two devices, Android none", () => {
  expect(devicesOf).toEqual({ ios: ["IPHONE", "IPAD"], android: ["ALL"] });
});
