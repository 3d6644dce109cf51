import * as version from "../../api/operations/version.ts";
import type { Operation } from "../../api/define-operation.ts";
import type { Store } from "../../core/store.ts";
import type { Day } from "../../core/day.ts";
import type { MarketApp } from "../market/apps.ts";
import { versionsUntil, type Changing, type Version } from "../market/versions.ts";
import { answerTable, answerTo, knownApp, localTime, publishedDays, type AnswerContext } from "../answer-context.ts";
import { descriptionOf, iconOf, screenshotsOf, similarTo } from "./store-page.ts";

type Requested = {
  readonly trackId: string;
  readonly startDate: Day;
  readonly endDate: Day;
};
type Step = { readonly now: Version; readonly before: Version | null };

const differenceNames = {
  description: "DESCRIPTION",
  screenshots: "SCREENSHOTS",
  icon: "ICON",
  similarApps: "SIMILAR_APPS",
} as const satisfies Record<Changing, string>;

/** The releases of a range with the one before each. */
function steps(context: AnswerContext, operation: Operation, app: MarketApp, requested: Requested): Step[] {
  const days = publishedDays(context, operation, { start: requested.startDate, end: requested.endDate });
  const last = days.at(-1);
  if (last === undefined) return [];
  const versions = versionsUntil(app, last);
  return versions
    .map((now, index) => ({ now, before: versions[index - 1] ?? null }))
    .filter(({ now }) => days.includes(now.day));
}

function differences({ now }: Step): string[] {
  const always = ["VERSION", "CURRENT_VERSION_RELEASE_DATE", "RELEASE_NOTES", "FILE_SIZE"];
  return [...always, ...now.changed.map((what) => differenceNames[what])];
}

/** The values of a release for the properties that differ from another release. */
function values(
  context: AnswerContext,
  of: { app: MarketApp; at: Version; changed: readonly Changing[]; language: string },
) {
  const { app, at, changed, language } = of;
  const ios = app.store === "ios";
  const similar = similarTo(context, app, at);
  return {
    versionString: at.text,
    versionDate: localTime(at.at),
    releaseNotes: ios ? at.notes : [at.notes],
    fileSize: ios ? at.size : `${Math.round(at.size / 1e6)}M`,
    ...(changed.includes("description") ? { description: descriptionOf(app, at, language) } : {}),
    ...(changed.includes("screenshots") ? { screenshots: screenshotsOf(app, at) } : {}),
    ...(changed.includes("icon") ? { iconUrl: iconOf(app, at) } : {}),
    ...(changed.includes("similarApps") ? { similarApps: ios ? similar.map(Number) : similar } : {}),
  };
}

function list(context: AnswerContext, operation: Operation, store: Store, requested: Requested) {
  return steps(context, operation, knownApp(context, store, requested.trackId), requested).map((step) => ({
    versionString: step.now.text,
    versionDate: localTime(step.now.at),
    releaseNotes: step.now.notes,
    differences: differences(step),
  }));
}

function detailed(
  context: AnswerContext,
  operation: Operation,
  store: Store,
  requested: Requested & { readonly language: string },
) {
  const app = knownApp(context, store, requested.trackId);
  return steps(context, operation, app, requested)
    .filter(({ before }) => before !== null)
    .map((step) => {
      const of = { app, changed: step.now.changed, language: requested.language };
      return {
        versionDate: localTime(step.now.at),
        differences: differences(step),
        newData: values(context, { ...of, at: step.now }),
        oldData: values(context, { ...of, at: step.before ?? step.now }),
      };
    });
}

/** Answers about the versions of apps, as a list and with the changes. */
export const versionAnswers = answerTable([
  answerTo(version.iosVersionList, (requested, context) => list(context, version.iosVersionList, "ios", requested)),
  answerTo(version.androidVersionList, (requested, context) =>
    list(context, version.androidVersionList, "android", requested),
  ),
  answerTo(version.iosVersionListDetailed, ({ countryCode, ...requested }, context) =>
    detailed(context, version.iosVersionListDetailed, "ios", {
      ...requested,
      language: context.market.languageIn(countryCode),
    }),
  ),
  answerTo(version.androidVersionListDetailed, ({ langCode, ...requested }, context) =>
    detailed(context, version.androidVersionListDetailed, "android", {
      ...requested,
      language: langCode.slice(0, 2).toLowerCase(),
    }),
  ),
]);
