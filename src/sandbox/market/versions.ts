import { addDays, dayMs, type Day } from "../../core/day.ts";
import type { MarketApp } from "./apps.ts";
import { hashOf, mix, unit } from "./noise.ts";
import { dayNumber } from "./ranks.ts";

/** One release of an app. */
export type Version = {
  readonly day: Day;
  /** Epoch-ms. */
  readonly at: number;
  readonly text: string;
  readonly notes: string;
  /** Bytes. */
  readonly size: number;
  /** How often this release and those before it have changed each of these. */
  readonly edition: Readonly<Record<Changing, number>>;
  /** Which of these this release changed. */
  readonly changed: readonly Changing[];
};

/** What a release changes, apart from its number, date, notes and size. */
export type Changing = (typeof changing)[number];

const changing = ["description", "screenshots", "icon", "similarApps"] as const;
const likely = { description: 0.4, screenshots: 0.3, icon: 0.12, similarApps: 0.25 } as const;
const notes = [
  "Bug fixes and performance improvements.",
  "Neu: Dunkles Design. Danke für eure Ideen! 🌱",
  "新しいウィジェットを追加しました。",
  'Now with "smart" lists;\nfixes for iPad & small phones.',
  "Küçük hatalar giderildi.",
] as const;

/** The release that is in the store on a day; on days before the first one, the first one. */
export function versionOn(app: MarketApp, day: Day): Version {
  const version = versionsUntil(app, day < app.released ? app.released : day).at(-1);
  if (version === undefined) throw new Error(`${app.trackId} has no version`);
  return version;
}

/** The releases of an app up to and including a day, oldest first; the first one is the release of the app itself. */
export function versionsUntil(app: MarketApp, until: Day): readonly Version[] {
  const hash = hashOf("versions", app.store, app.trackId);
  const versions: Version[] = [];
  let edition: Version["edition"] = { description: 1, screenshots: 1, icon: 1, similarApps: 1 };
  for (let day = app.released, index = 0; day <= until; index += 1) {
    const draw = mix(hash, index);
    const changed = index === 0 ? [] : changing.filter((what, salt) => unit(mix(draw, 10 + salt)) < likely[what]);
    edition = { ...edition, ...Object.fromEntries(changed.map((what) => [what, edition[what] + 1])) };
    versions.push({
      day,
      at: dayNumber(day) * dayMs + Math.floor(unit(mix(draw, 1)) * 86_400) * 1_000,
      text: `${1 + Math.floor(index / 12)}.${index % 12}.${Math.floor(unit(mix(draw, 2)) * 3)}`,
      notes: notes[index % notes.length] ?? "",
      size: 40_000_000 + index * 350_000 + Math.floor(unit(mix(draw, 3)) * 300_000),
      edition,
      changed,
    });
    day = addDays(day, 12 + Math.floor(unit(mix(draw, 4)) * 16));
  }
  return versions;
}
