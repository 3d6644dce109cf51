import { z } from "zod";
import { devicesOf, type Store } from "../../core/store.ts";

/** A device that figures are requested for, or ALL for all of them in a call that names none. */
type RequestedDevice = "ALL" | (typeof devicesOf.ios)[number];

/** The option of the devices that are requested for iOS apps; each is a separate call. */
export function deviceOption(taken: readonly RequestedDevice[]) {
  return z
    .array(z.enum(["ALL", ...devicesOf.ios]))
    .min(1)
    .default([...taken])
    .meta({ examples: [["ALL", ...devicesOf.ios]] })
    .describe(
      "For iOS apps: ALL requests all devices together, IPHONE and IPAD one device each. Each value is a separate call.",
    );
}

/** The devices that calls about an app name; ALL for a store without devices. */
export function requestedDevices(store: Store, chosen: readonly RequestedDevice[]): readonly string[] {
  return store === "android" ? ["ALL"] : [...new Set(chosen)];
}

/** How a call names a device: not at all if it requests all of them. */
export function deviceParam(device: string): { readonly device?: string } {
  return device === "ALL" ? {} : { device };
}

/** True for a total over all devices, in a store that has several: it includes the figures of each device. */
export function isDeviceTotal(store: string, device: string): boolean {
  return store === "ios" && device === "ALL";
}
