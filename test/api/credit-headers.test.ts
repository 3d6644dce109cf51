import { expect, test } from "vitest";
import { creditHeaders } from "../../src/api/credit-headers.ts";

const none = { cost: null, remaining: null, resetsAt: null, notBefore: null };
const received = Date.UTC(2026, 7, 20);

test("reads all four, the reset and the pause as deadlines", () => {
  const headers = {
    "x-credit-cost": "3",
    "x-credit-remaining": "997",
    "x-credit-reset": "3600",
    "retry-after": "5",
  };
  expect(creditHeaders(headers, received)).toEqual({
    cost: 3,
    remaining: 997,
    resetsAt: received + 3_600_000,
    notBefore: received + 5_000,
  });
});

test("knows nothing where no header says anything", () => {
  expect(creditHeaders({}, received)).toEqual(none);
});

test.each([["free"], [""], ["  "], ["NaN"], ["Infinity"], ["1,000"], ["3 credits"]])(
  "takes %j for no number",
  (value) => {
    const headers = {
      "x-credit-cost": value,
      "x-credit-remaining": value,
      "x-credit-reset": value,
      "retry-after": value,
    };
    expect(creditHeaders(headers, received)).toEqual(none);
  },
);

test("takes a header that came twice for none", () => {
  expect(creditHeaders({ "x-credit-cost": ["3", "5"] }, received)).toEqual(none);
});

test("reads fractions against us: a cost up, a balance down, a reset later", () => {
  const headers = { "x-credit-cost": "2.1", "x-credit-remaining": "9.9", "x-credit-reset": "1.0001" };
  expect(creditHeaders(headers, received)).toMatchObject({ cost: 3, remaining: 9, resetsAt: received + 1001 });
});

test("a zero is a number", () => {
  const headers = { "x-credit-cost": "0", "x-credit-remaining": "0", "x-credit-reset": "0" };
  expect(creditHeaders(headers, received)).toMatchObject({ cost: 0, remaining: 0 });
});

test("a reset that is due or past says nothing of the period that begins, one beyond all calendars is not known", () => {
  expect(creditHeaders({ "x-credit-reset": "0" }, received).resetsAt).toBeNull();
  expect(creditHeaders({ "x-credit-reset": "-5" }, received).resetsAt).toBeNull();
  expect(creditHeaders({ "x-credit-reset": "1" }, received).resetsAt).toBe(received + 1000);
  expect(creditHeaders({ "x-credit-reset": "1e18" }, received).resetsAt).toBeNull();
});

test("a balance beyond any allowance is cut to what the ledger can count", () => {
  const reported = creditHeaders({ "x-credit-cost": "-1e12", "x-credit-remaining": "9999999999" }, 0);
  expect([reported.cost, reported.remaining]).toEqual([-1_000_000_000, 1_000_000_000]);
});

test.each([
  ["hit", "0", true],
  ["joined", "0", true],
  ["miss", "0", undefined],
  ["hit", "3", undefined],
  [undefined, "0", undefined],
])(
  "an answer of a gateway is shared where it cost nothing and was there already: %s, %s credits",
  (from, cost, isShared) => {
    const headers = { "x-credit-cost": cost, ...(from === undefined ? {} : { "x-storehouse-cache": from }) };
    expect(creditHeaders(headers, received).isShared).toBe(isShared);
  },
);

test("a pause of no seconds is over, one below none as well", () => {
  const pauses = ["0", "-5"].map((text) => creditHeaders({ "retry-after": text }, received).notBefore);
  expect(pauses).toEqual([received, received]);
});

test("a pause may be named by its end, which is not in the past", () => {
  const at = (headers: Record<string, string>) => creditHeaders(headers, received).notBefore;
  expect(at({ "retry-after": new Date(received + 90_000).toUTCString() })).toBe(received + 90_000);
  expect(at({ "retry-after": new Date(received - 90_000).toUTCString() })).toBe(received);
  expect(at({ "retry-after": "tomorrow 3" })).toBeNull();
});

test("a pause is five minutes at most", () => {
  const far = [{ "retry-after": "3600" }, { "retry-after": new Date(received + 7_200_000).toUTCString() }];
  expect(far.map((headers) => creditHeaders(headers, received).notBefore)).toEqual([
    received + 300_000,
    received + 300_000,
  ]);
});
