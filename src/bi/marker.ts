import { z } from "zod";
import type { Properties } from "./three-ways.ts";

/** What we write on a thing of ours in Metabase: which one it is, and the digests of what was applied to it. */
export type Marker = { readonly key: string; readonly applied: Readonly<Record<string, string>> };

/** The setting that holds the marker; Metabase keeps settings that it does not know. */
const name = "storehouse";

const Marker = z.object({ key: z.string(), applied: z.record(z.string(), z.string()) });

/** The marker among the settings of a card, null where there is none of ours. */
export function markerIn(settings: Properties | null | undefined): Marker | null {
  const text = settings?.[name];
  if (typeof text !== "string") return null;
  try {
    return Marker.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Settings with a marker among them; a text, so that nothing on the way takes it for settings and puts it in order. */
export function withMarker(settings: Properties, marker: Marker): Properties {
  return { ...settings, [name]: JSON.stringify(marker) };
}
