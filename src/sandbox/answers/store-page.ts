import type { MarketApp } from "../market/apps.ts";
import { stranger } from "../market/charts.ts";
import { hashOf } from "../market/noise.ts";
import type { Version } from "../market/versions.ts";
import type { Scene } from "../answer-context.ts";

/** The picture of an app as of a version. */
export function iconOf(app: MarketApp, version: Version): string {
  return `https://icons.example/${app.trackId}/${version.edition.icon}.png`;
}

/** The pictures of an app's page as of a version. */
export function screenshotsOf(app: MarketApp, version: Version): string[] {
  return [1, 2, 3].map((index) => `https://shots.example/${app.trackId}/${version.edition.screenshots}/${index}.png`);
}

/** The text of an app's page as of a version. */
export function descriptionOf(app: MarketApp, version: Version, language: string): string {
  return `${app.name} (${language}, text ${version.edition.description})\nMade by ${app.developer}. 🌱 Try it & see.`;
}

/** The apps that a store shows beside an app as of a version; some are known to nobody. */
export function similarTo(scene: Scene, app: MarketApp, version: Version): string[] {
  const seed = hashOf(app.trackId, version.edition.similarApps) % 1_000;
  return [...scene.market.neighbours(app).map(({ trackId }) => trackId), stranger(app.store, seed, 1)];
}
