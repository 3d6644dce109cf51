import { day } from "./day.ts";

/** The two app stores. */
export type Store = "ios" | "android";

/** The names of the stores. */
const names: Readonly<Record<string, string>> = { ios: "iOS", android: "Android" } satisfies Record<Store, string>;

/** The name of a store; an unknown store is returned unchanged. */
export function storeName(store: string): string {
  return names[store] ?? store;
}

/** The devices that a store distinguishes; Android distinguishes none. */
export const devicesOf = { ios: ["IPHONE", "IPAD"], android: ["ALL"] } as const satisfies Record<
  Store,
  readonly string[]
>;

/** The store of a track id: iOS ids are numbers, Android ids are package names. */
export function storeOf(trackId: string): Store {
  return /^\d+$/.test(trackId) ? "ios" : "android";
}

/** The day on which the first of the two stores opened: there is no data for days before it. */
export const firstStoreOpened = day("2008-07-10");
