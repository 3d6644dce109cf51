import { day } from "./day.ts";

/** The two app stores. */
export type Store = "ios" | "android";

/** How the stores are called. */
const names: Readonly<Record<string, string>> = { ios: "iOS", android: "Android" } satisfies Record<Store, string>;

/** What a store is called; one that nobody knows by its own word. */
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

/** The day on which the first of the two stores opened: nothing can be known of days before it. */
export const firstStoreOpened = day("2008-07-10");
