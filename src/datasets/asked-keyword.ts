import type { Scope } from "../core/slice.ts";
import { foldKeyword } from "../core/text.ts";

/** What an answer about one keyword echoes of the question. */
type Echo = {
  readonly keyword?: string | null | undefined;
  readonly countryCode?: string | null | undefined;
  readonly device?: string | null | undefined;
};

/** True for an answer that names another keyword, country or device than its slice's scope; what it leaves out counts as echoed. */
export function isOther(scope: Scope, { keyword, countryCode, device }: Echo): boolean {
  const differs = (told: string | null | undefined, asked: string | undefined) =>
    told != null && asked !== undefined && foldKeyword(told) !== foldKeyword(asked);
  return (
    differs(keyword, scope["keyword"]) || differs(countryCode, scope["country"]) || differs(device, scope["device"])
  );
}
