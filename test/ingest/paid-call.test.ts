import { expect, test } from "vitest";
import { appSearch } from "../../src/api/operations/dashboard-search.ts";
import { classifyReply } from "../../src/api/reply.ts";
import { landingOf } from "../../src/ingest/paid-call.ts";

const headers = { cost: 1, remaining: 99, resetsAt: null, notBefore: null };
const parts = {
  accountId: "an account",
  account: "",
  workerId: null,
  scrub: (text: string) => text.replaceAll("a-secret-token", "[hidden]"),
};

/** What is stored of a person's search that is answered with a status. */
function landed(status: number) {
  const call = {
    operation: appSearch,
    params: { query: "lumi a-secret-token" },
    class: "person",
    page: null,
  } as const;
  const received = { status, body: Buffer.from("[]"), headers, bodyProblem: null };
  return landingOf(
    parts,
    call,
    classifyReply(appSearch, { ...received, receivedAt: 0, durationMs: 0, serverTime: null }),
  );
}

test("a secret that someone searched for is not stored with the request", () => {
  expect(landed(200).params).toEqual({ query: "lumi [hidden]" });
});

test("a refused request is stored at no cost, although its header names one", () => {
  expect([200, 401, 404, 429, 500].map((status) => landed(status).cost)).toEqual([1, 0, 0, 0, 0]);
});
