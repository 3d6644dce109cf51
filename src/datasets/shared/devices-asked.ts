import { z } from "zod";
import { devicesOf, type Store } from "../../core/store.ts";

/** A device that figures are asked for, or ALL for all of them in a call that names none. */
type DeviceAsked = "ALL" | (typeof devicesOf.ios)[number];

/** The option of the devices that iOS apps are asked for; each is a call of its own. */
export function deviceOption(taken: readonly DeviceAsked[]) {
  return z
    .array(z.enum(["ALL", ...devicesOf.ios]))
    .min(1)
    .default([...taken])
    .meta({ examples: [["ALL", ...devicesOf.ios]] })
    .describe("Of iOS apps: ALL asks for all devices together, IPHONE and IPAD for one each; a call each.");
}

/** The devices that calls about an app name; a store that tells none apart is asked for all of them. */
export function devicesAsked(store: Store, chosen: readonly DeviceAsked[]): readonly string[] {
  return store === "android" ? ["ALL"] : [...new Set(chosen)];
}

/** How a call names a device: not at all where it asks for all of them. */
export function deviceParam(device: string): { readonly device?: string } {
  return device === "ALL" ? {} : { device };
}

/** True for figures of all devices together from a store that tells them apart: they hold the figures of the single ones. */
export function isDeviceTotal(store: string, device: string): boolean {
  return store === "ios" && device === "ALL";
}
