import { describe, expect, test } from "vitest";
import type { CreditHeaders } from "../../src/api/credit-headers.ts";
import { iosKeywordRanking } from "../../src/api/operations/keyword.ts";
import { classifyReply } from "../../src/api/reply.ts";

const none = { cost: null, remaining: null, resetsAt: null, notBefore: null };

function replyOf(status: number, headers: Partial<CreditHeaders> = {}, text = '{"success":true,"error":"ignore me"}') {
  const body = Buffer.from(text);
  const times = { receivedAt: 0, durationMs: 0, serverTime: null };
  return classifyReply(iosKeywordRanking, {
    status,
    body,
    headers: { ...none, ...headers },
    bodyProblem: null,
    ...times,
  });
}

describe("a status decides the outcome, independent of the body", () => {
  test.each([
    [204, "SkipError", "no_content"],
    [400, "SkipError", "bad_request"],
    [401, "AbortError", "unauthorised"],
    [402, "DeferError", "credits_exhausted"],
    [403, "AbortError", "forbidden"],
    [404, "SkipError", "not_found"],
    [408, "RetryError", "timeout"],
    [422, "SkipError", "bad_request"],
    [425, "RetryError", "server_error"],
    [429, "RetryError", "too_many_requests"],
    [500, "RetryError", "server_error"],
    [501, "RetryError", "server_error"],
    [502, "RetryError", "server_error"],
    [503, "RetryError", "server_error"],
    [504, "RetryError", "server_error"],
    [520, "RetryError", "server_error"],
    [599, "RetryError", "server_error"],
    // these statuses are unexpected, so the client does not retry them
    [202, "SkipError", "unexpected_status"],
    [206, "SkipError", "unexpected_status"],
    [301, "SkipError", "unexpected_status"],
    [304, "SkipError", "unexpected_status"],
    [405, "SkipError", "unexpected_status"],
    [410, "SkipError", "unexpected_status"],
    [413, "SkipError", "bad_request"],
    [414, "SkipError", "bad_request"],
    [431, "SkipError", "bad_request"],
    [418, "SkipError", "unexpected_status"],
    [451, "SkipError", "unexpected_status"],
    [499, "SkipError", "unexpected_status"],
  ])("%i is a %s: %s", (status, name, code) => {
    expect(replyOf(status).problem).toMatchObject({
      name,
      code,
      context: { operation: "ios.keyword-ranking", status },
    });
  });

  test.each([200, 201, 203])("%i is an answer", (status) => {
    expect(replyOf(status)).toMatchObject({ answer: expect.any(Buffer) as Buffer, problem: null });
  });
});

test("an empty answer leaves its slice empty, a refused one skipped, an odd one failed", () => {
  expect([204, 400, 404, 418].map((status) => replyOf(status).problem)).toMatchObject([
    { leaves: "empty" },
    { leaves: "skipped" },
    { leaves: "skipped" },
    { leaves: "failed" },
  ]);
});

test("exhausted credits say until when to wait, where the answer said so", () => {
  expect(replyOf(402, { resetsAt: 5000 }).problem).toMatchObject({ until: 5000 });
  expect(replyOf(402).problem).toMatchObject({ until: null });
});

test("refusals that name no reason of their own leave open whether the credits ran out, nothing else does", () => {
  const open = Array.from({ length: 500 }, (_, index) => 100 + index).filter(
    (status) => replyOf(status).mayMeanExhausted,
  );
  expect(open).toEqual([400, 402, 403, 422, 429]);
});

describe("what a reply says of the account", () => {
  test.each([
    ["an answer at the price that it states", 200, { cost: 7 }, { charged: 7, price: 7 }],
    ["an answer that states no price at the documented one", 200, {}, { charged: 3, price: null }],
    ["an empty answer at the price that it states", 204, { cost: 7 }, { charged: 7, price: 7 }],
    ["an empty answer for nothing, which is no price", 204, { cost: 0 }, { charged: 0, price: null }],
    ["an empty answer that states no price for free", 204, {}, { charged: 0, price: null }],
    ["a refusal for nothing, although it names a cost", 401, { cost: 3 }, { charged: null, price: null }],
    ["a redirect for nothing, although it names a cost", 300, { cost: 3 }, { charged: null, price: null }],
    [
      "an answer that a gateway had already for no price",
      200,
      { cost: 0, isShared: true as const },
      { charged: 0, price: null },
    ],
    ["a failure for nothing, although it names a cost", 500, { cost: 3 }, { charged: null, price: null }],
  ])("takes %s", (_, status, headers, credits) => {
    expect(replyOf(status, headers).credits).toMatchObject(credits);
  });

  test("takes an answer that says it failed for nothing, unless it states a price, and leaves open whether the credits ran out", () => {
    const failure = '{"success":false,"message":"no"}';
    expect(replyOf(200, {}, failure)).toMatchObject({
      problem: null,
      mayMeanExhausted: true,
      credits: { charged: 0, price: null },
    });
    expect(replyOf(200, { cost: 3 }, failure).credits.charged).toBe(3);
    expect(replyOf(200, {}, '{"status":503,"error":"Service Unavailable"}')).toMatchObject({
      mayMeanExhausted: true,
      credits: { charged: 0, price: null },
    });
    const others = [
      '{"status":200,"error":"none"}',
      '[{"success":false}]',
      '{"data":{"success":false}}',
      '{"success":null}',
      '"success"',
      '{"success":',
    ];
    expect(others.map((text) => replyOf(200, {}, text).mayMeanExhausted)).toEqual(others.map(() => false));
  });

  test("takes a 429 for a refused pace, unless too few credits are left for the call", () => {
    expect(replyOf(429).credits.tooFast).toBe(true);
    expect(replyOf(429, { remaining: 3 }).credits.tooFast).toBe(true);
    expect(replyOf(429, { remaining: 2 }).credits.tooFast).toBe(false);
    expect(replyOf(503).credits.tooFast).toBe(false);
  });

  test("keeps the pause that a refused pace or an overloaded service names, and no other", () => {
    const pauses = [200, 400, 429, 500, 503].map((status) => replyOf(status, { notBefore: 9 }).credits.notBefore);
    expect(pauses).toEqual([null, null, 9, null, 9]);
    expect(replyOf(429, { notBefore: 9, remaining: 0 }).credits.notBefore).toBeNull();
    expect(replyOf(429, { notBefore: 9 }).problem?.context).toMatchObject({ until: 9 });
  });
});
