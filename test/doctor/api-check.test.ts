import { expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { checkApi } from "../../src/doctor/api-and-webhook-checks.ts";
import { serve, token } from "../support/api-server.ts";

/** What the doctor says of the token where every request is answered like this. */
async function tokenCheck(status: number, body: string) {
  await using server = await serve((response) => response.writeHead(status).end(body));
  const checks = await checkApi({
    baseUrl: server.origin,
    token,
    storeWords: { ios: "iosstore", android: "androidstore" },
    timeoutMs: 15_000,
    largestAnswer: 2 ** 20,
    clock: systemClock(),
  });
  return checks.find(({ check }) => check === "token");
}

test.each([
  ["a page of another server", 200, "<html></html>"],
  ["JSON of another server", 200, '{"welcome":true}'],
  ["nothing known at this path", 404, '{"status":404,"error":"Not Found"}'],
  ["nothing at all", 204, ""],
])("an address that leads to %s is named as what is wrong", async (_, status, body) => {
  const found = await tokenCheck(status, body);
  expect(found?.state).toBe("fail");
  expect(found?.next).toMatch(/^check API_BASE_URL: the server at this address is not the API/);
});

test.each([
  [502, ""],
  [200, '{"success":false,"message":"maintenance"}'],
])("of an API that fails (%i) nothing is said about slices, which a check has none of", async (status, body) => {
  const found = await tokenCheck(status, body);
  expect(found?.state).toBe("fail");
  expect(found?.next).toContain("try again later");
  expect(found?.next).not.toMatch(/automatically|retry/);
});

test.each([401, 403])(
  "of a refused account (%i) nothing is said about datasets, which a check has none of",
  async (status) => {
    const found = await tokenCheck(status, "");
    expect(found?.state).toBe("fail");
    expect(found?.next).not.toMatch(/dataset|doctor|operation/);
  },
);
