import type { Applied } from "../metabase/apply.ts";
import type { Change } from "../metabase/remote.ts";
import { countOf } from "../core/words.ts";

/** What `storehouse metabase` did, or would do: one thing per line, with columns and tables as counts. */
export function metabaseReport({ version, changes, isComplete }: Applied, isDryRun: boolean): string {
  const made = changes.filter(({ action }) => action !== "leave");
  const lines = [
    ...made.filter(({ what }) => !isMany(what)).map((change) => madeLine(change, isDryRun)),
    ...described(made, isDryRun),
    ...changes.filter(({ action }) => action === "leave").map(leftLine),
  ];
  if (changes.length === 0) lines.push(`Metabase ${version} is up to date: nothing to change.`);
  else if (made.length === 0) lines.push("Nothing was changed.");
  if (!isComplete) lines.push("Further changes will show once these are made.");
  else if (isDryRun && made.length > 0) lines.push("Dry run: nothing was changed.");
  return lines.join("\n");
}

function isMany(what: Change["what"]): boolean {
  return what === "table" || what === "column";
}

const verbs = { create: ["create", "created"], update: ["update", "updated"], leave: ["leave", "left"] } as const;

function madeLine({ what, name, action, properties }: Change, isDryRun: boolean): string {
  const [would, did] = verbs[action];
  const which = properties.length === 0 ? "" : `: ${properties.join(", ")}`;
  return `${isDryRun ? `would ${would}` : did} ${what} ${name}${which}`;
}

function leftLine({ what, name, properties }: Change): string {
  return `${what} ${name} differs and is left unchanged; --overwrite replaces it (${properties.join(", ")})`;
}

function described(made: readonly Change[], isDryRun: boolean): readonly string[] {
  const counts = (["table", "column"] as const).flatMap((what) => {
    const number = made.filter((change) => change.what === what).length;
    return number === 0 ? [] : [countOf(number, what)];
  });
  return counts.length === 0 ? [] : [`${isDryRun ? "would describe" : "described"} ${counts.join(" and ")}`];
}
