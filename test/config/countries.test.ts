import { describe, expect, test } from "vitest";
import { forTests } from "../support/for-tests.ts";
import { openSettingsFile } from "../support/settings-file.ts";

const given = forTests(openSettingsFile);

describe("a country of the configuration", () => {
  test.each([
    [
      "portfolio: { apps: [{ id: 1, countries: [US, UK] }] }",
      "portfolio.apps.0.countries.1 UK is not an ISO 3166-1 country code, did you mean GB?",
    ],
    [
      "datasets: { keyword_rank: { countries: [EN] } }",
      "datasets.keyword_rank.countries.0 EN is not an ISO 3166-1 country code, write two letters, for instance GB",
    ],
  ])("that ISO 3166-1 does not have is refused, with what to write: %j", async (yaml, words) => {
    await expect(given.read(yaml)).rejects.toThrow(words);
  });

  test("may be Kosovo, where stores sell", async () => {
    const { datasets } = await given.read("datasets: { keyword_rank: { countries: [XK] } }");
    expect(datasets).toEqual({ keyword_rank: { countries: ["XK"] } });
  });
});
