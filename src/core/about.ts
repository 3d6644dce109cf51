import type { Scope } from "./slice.ts";
import { countOf } from "./words.ts";

/** The name of an app with its id, since both stores may use the same name; only the id if no name is known. */
export function appWords(trackId: string | null, name: string | null): string | null {
  return trackId === null || name === null ? trackId : `${name} (${trackId})`;
}

/** What a slice is about, in a line of a list: `Lumi: Habit Garden (6446318020), US, IPHONE, 12 items`. */
export function aboutText({
  scope,
  appName,
  itemCount,
}: {
  readonly scope: Scope;
  readonly appName: string | null;
  readonly itemCount: number;
}): string {
  const { app = null, store, ...rest } = scope;
  const others = sorted(rest).map(([, value]) => value);
  const items = itemCount === 0 ? [] : [countOf(itemCount, "item")];
  return [appWords(app, appName) ?? store, ...others, ...items].filter(Boolean).join(", ") || account;
}

/** The same with the names of the values: `app 6446318020, country US, store ios`. */
export function scopeText(scope: Scope): string {
  return (
    sorted(scope)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ") || account
  );
}

const account = "the account";

function sorted(scope: Scope): readonly (readonly [string, string])[] {
  return Object.entries(scope).sort(([a], [b]) => (a < b ? -1 : 1));
}
