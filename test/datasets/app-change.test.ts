import { expect, test } from "vitest";
import { iosVersionListDetailed } from "../../src/api/operations/version.ts";
import { day } from "../../src/core/day.ts";
import { appChange } from "../../src/datasets/app-change.ts";
import { normalised } from "../support/normalised.ts";

/** The fields with values of a release, and the names that its list of differences has for them, typed in by hand. */
const names = {
  versionDate: "CURRENT_VERSION_RELEASE_DATE",
  versionString: "VERSION",
  fileSize: "FILE_SIZE",
  releaseNotes: "RELEASE_NOTES",
  similarApps: "SIMILAR_APPS",
  screenshots: "SCREENSHOTS",
  ipadScreenshots: "IPAD_SCREENSHOTS",
  iconUrl: "ICON",
  installRange: "INSTALL_RANGE",
  shortDescription: "SHORT_DESCRIPTION",
  commentCount: "COMMENT_COUNT",
  videoPreviews: "VIDEO_PREVIEWS",
  userRatingCount: "USER_RATING_COUNT",
  userRatingCountForCurrentVersion: "USER_RATING_COUNT_FOR_CURRENT_VERSION",
};

const values = {
  versionDate: "2026-08-02T10:00:00",
  versionString: "2.1",
  fileSize: 75_099_642,
  releaseNotes: "- mends",
  similarApps: [7],
  screenshots: ["https://a"],
  ipadScreenshots: [],
  iconUrl: "https://b",
  installRange: "1,000+",
  shortDescription: "Habits",
  commentCount: 5,
  videoPreviews: [{ previewUrl: null, frameUrl: "https://c", phoneFrameUrl: null }],
  userRatingCount: 6,
  userRatingCountForCurrentVersion: 8,
};

test("what changed has its values in the row by which the list of differences names it", () => {
  const scope = { store: "ios", app: "42", country: "US", page: "home" };
  const window = { start: day("2026-08-01"), end: day("2026-08-31") };
  const release = { versionDate: values.versionDate, differences: Object.values(names), newData: values, oldData: {} };
  const { rows, invalid } = normalised(appChange, iosVersionListDetailed, { scope, window }, [release]);
  expect(invalid).toEqual([]);
  const found = rows.map(({ property, new_value: value, old_value: before }) => [property, value, before]);
  const wanted = Object.entries(values).map(([field, value]) => [
    names[field as keyof typeof names],
    JSON.stringify(value),
    null,
  ]);
  expect(found.toSorted()).toEqual(wanted.toSorted());
});
