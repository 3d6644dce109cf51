import * as version from "../../api/operations/version.ts";
import type { Operation } from "../../api/define-operation.ts";
import type { Store } from "../../core/store.ts";
import type { Day } from "../../core/day.ts";
import type { MarketApp } from "../market/apps.ts";
import { versionsUntil, type Changing, type Version } from "../market/versions.ts";
import { answerTable, answerTo, knownApp, localTime, publishedDays, type Scene } from "../answer-context.ts";
import { descriptionOf, iconOf, screenshotsOf, similarTo } from "./store-page.ts";

type Asked = { readonly trackId: string; readonly startDate: Day; readonly endDate: Day; readonly language: string };
type Step = { readonly now: Version; readonly before: Version | null };

const differenceNames = {
  description: "DESCRIPTION",
  screenshots: "SCREENSHOTS",
  icon: "ICON",
  similarApps: "SIMILAR_APPS",
} as const satisfies Record<Changing, string>;

/** The releases of a range with the one before each. */
function steps(scene: Scene, operation: Operation, app: MarketApp, asked: Asked): Step[] {
  const days = publishedDays(scene, operation, { start: asked.startDate, end: asked.endDate });
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

/** The values of a release, of the properties that changed with another one. */
function values(scene: Scene, of: { app: MarketApp; at: Version; changed: readonly Changing[]; language: string }) {
  const { app, at, changed, language } = of;
  const ios = app.store === "ios";
  const similar = similarTo(scene, app, at);
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

function list(scene: Scene, operation: Operation, store: Store, asked: Asked) {
  return steps(scene, operation, knownApp(scene, store, asked.trackId), asked).map((step) => ({
    versionString: step.now.text,
    versionDate: localTime(step.now.at),
    releaseNotes: step.now.notes,
    differences: differences(step),
  }));
}

function detailed(scene: Scene, operation: Operation, store: Store, asked: Asked) {
  const app = knownApp(scene, store, asked.trackId);
  return steps(scene, operation, app, asked)
    .filter(({ before }) => before !== null)
    .map((step) => {
      const of = { app, changed: step.now.changed, language: asked.language };
      return {
        versionDate: localTime(step.now.at),
        differences: differences(step),
        newData: values(scene, { ...of, at: step.now }),
        oldData: values(scene, { ...of, at: step.before ?? step.now }),
      };
    });
}

/** Answers about the versions of apps, in a list and with what changed. */
export const versionAnswers = answerTable([
  answerTo(version.iosVersionList, ({ countryCode, ...asked }, scene) =>
    list(scene, version.iosVersionList, "ios", { ...asked, language: scene.market.languageIn(countryCode) }),
  ),
  answerTo(version.androidVersionList, ({ langCode, ...asked }, scene) =>
    list(scene, version.androidVersionList, "android", { ...asked, language: langCode.slice(0, 2).toLowerCase() }),
  ),
  answerTo(version.iosVersionListDetailed, ({ countryCode, ...asked }, scene) =>
    detailed(scene, version.iosVersionListDetailed, "ios", {
      ...asked,
      language: scene.market.languageIn(countryCode),
    }),
  ),
  answerTo(version.androidVersionListDetailed, ({ langCode, ...asked }, scene) =>
    detailed(scene, version.androidVersionListDetailed, "android", {
      ...asked,
      language: langCode.slice(0, 2).toLowerCase(),
    }),
  ),
]);
