/** Fields of an operation's answer that no column holds, and why. `fields` as `a.b[].c{}`; every field if left out. */
export type UnstoredFields = {
  readonly operations: readonly string[];
  readonly fields?: readonly string[];
  readonly why: string;
};

const paging = "describes the pages: it is read to request all of them, and compared from page to page";
const echo = "repeats the request, whose values are in the rows";

/** Every field of the API that is not stored in a column; the conformance suite checks that all others are. */
export const unstoredFields: readonly UnstoredFields[] = [
  {
    operations: ["dashboard.app-search", "dashboard.company-url-search"],
    why: "`storehouse find` prints it: the result of a person's search is not data about the portfolio",
  },
  {
    operations: ["ios.app-discovery", "android.app-discovery"],
    why: "`storehouse discover` prints whether the app is queued",
  },
  {
    operations: ["dashboard.add-keywords", "dashboard.delete-keywords"],
    why: "`storehouse keywords` prints what was added or removed (including `value`, `pinned` and `createdAt` of removed keywords). The list of tracked keywords is then fetched again and stored",
  },
  { operations: ["search-ads.goal"], why: "the list of goals has the same fields and is stored" },
  { operations: ["account.remaining-credits"], why: "`ops.credit_account` keeps the balance, not the API's answer" },
  {
    operations: ["dashboard.daily-keyword-rankings"],
    fields: ["[].rank"],
    why: "`keyword_rank` reads it if the whole list is the cheapest way to fetch a day; the list of tracked keywords has no column for the rank",
  },
  {
    operations: ["ad-intelligence.creatives", "ad-intelligence.top-advertisers"],
    fields: ["currentPage", "perPage", "total", "totalPages"],
    why: paging,
  },
  {
    operations: ["ad-intelligence.creatives", "ad-intelligence.top-advertisers"],
    fields: ["status", "success"],
    why: "belongs to the envelope: a reply that reports a failure does not count as an answer",
  },
  {
    operations: ["ios.reviews-v2", "android.reviews-v2"],
    fields: ["pageNumber", "pageSize", "totalElements", "totalPages"],
    why: paging,
  },
  {
    operations: ["search-ads.reports"],
    fields: ["[].pagination.limit", "[].pagination.offset", "[].pagination.totalRowCount"],
    why: paging,
  },
  {
    operations: ["ios.app-detail", "ios.keyword-metadata", "android.keyword-metadata"],
    fields: ["countryCode"],
    why: echo,
  },
  { operations: ["android.app-detail"], fields: ["langCode"], why: echo },
  {
    operations: ["android.app-detail"],
    fields: ["screenshots[]"],
    why: "another name for `screenshotList`, read if that is missing",
  },
  {
    operations: ["ios.developer-apps"],
    fields: ["[].categoryId"],
    why: "another name for `category`, read if that is missing",
  },
  { operations: ["ios.organic-keywords", "android.organic-keywords"], fields: ["countryCode"], why: echo },
  { operations: ["ios.organic-keywords"], fields: ["deviceType"], why: echo },
  { operations: ["dashboard.keyword-estimation"], fields: ["country", "trackId"], why: echo },
  {
    operations: ["dashboard.keyword-estimation-history"],
    fields: ["endDate", "keyword", "startDate", "trackId"],
    why: echo,
  },
  {
    operations: ["search-ads.top-apps-report"],
    fields: ["[].keywordData.keyword"],
    why: "an answer is matched to its request by `keywordId`, or by the keyword if that is missing",
  },
];
