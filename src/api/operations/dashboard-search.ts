import { z } from "zod";
import { defineOperation, inQuery } from "../define-operation.ts";
import { AnyTrackId, MaybeId, MaybeNumber, MaybeText } from "../values.ts";

const get = { store: null, method: "GET", range: null, paging: null, envelope: "data" } as const;
const hit = {
  trackId: AnyTrackId,
  name: MaybeText,
  categoryName: MaybeText,
  categoryId: MaybeId,
  iconUrl: MaybeText,
  developerId: MaybeId,
  developerName: MaybeText,
  rankScore: MaybeNumber,
};

export const appSearch = defineOperation({
  ...get,
  id: "dashboard.app-search",
  name: "App Search",
  path: "/gateway/app/search",
  params: { query: inQuery(z.string().min(1), "name of an app") },
  cost: 1,
  items: [],
  // the contract names the score twice, in two ways
  answer: z.array(z.looseObject({ ...hit, searchScore: MaybeNumber })),
  summary: "The apps of both stores whose name matches a text, best match first.",
});

const companyHits = z.array(z.looseObject({ ...hit, companyUrl: MaybeText }));

export const companyUrlSearch = defineOperation({
  ...get,
  id: "dashboard.company-url-search",
  name: "App Search By Company URL",
  path: "/gateway/app/search-by-company-url",
  params: { query: inQuery(z.string().min(1), "text of a company's URL") },
  cost: 10,
  items: ["{}"],
  answer: z.looseObject({ ios: companyHits.nullish(), play: companyHits.nullish() }),
  summary: "The apps of both stores whose company has a URL, best match first.",
});
