import type { Applied } from "../bi/apply.ts";
import type { Change } from "../bi/remote.ts";
import { countOf } from "./output.ts";

/** What `storehouse metabase` did, or would do, in words: things one a line, columns and tables by their number. */
export function metabaseReport({ version, changes, isWhole }: Applied, isRehearsal: boolean): string {
  const made = changes.filter(({ action }) => action !== "leave");
  const lines = [
    ...made.filter(({ what }) => !isMany(what)).map((change) => line(change, isRehearsal)),
    ...described(made, isRehearsal),
    ...changes.filter(({ action }) => action === "leave").map(leftLine),
  ];
  if (made.length === 0) lines.push(`Metabase ${version} is as it should be: nothing to change.`);
  if (!isWhole) lines.push("What comes after that is known once this is done.");
  else if (isRehearsal && made.length > 0) lines.push("Nothing was changed.");
  if (changes.some(({ action }) => action === "leave"))
    lines.push("What somebody has changed was left; --overwrite puts it back.");
  return lines.join("\n");
}

function isMany(what: Change["what"]): boolean {
  return what === "table" || what === "column";
}

const verbs = { create: ["make", "made"], update: ["update", "updated"] } as const;

function line({ what, name, action, properties }: Change, isRehearsal: boolean): string {
  const [would, did] = action === "leave" ? ["leave", "left"] : verbs[action];
  const which = properties.length === 0 ? "" : `: ${properties.join(", ")}`;
  return `${isRehearsal ? `would ${would}` : did} ${what} ${name}${which}`;
}

function leftLine({ what, name, properties }: Change): string {
  return `left ${what} ${name} as it is: ${properties.join(", ")} changed in Metabase`;
}

function described(made: readonly Change[], isRehearsal: boolean): readonly string[] {
  const counts = (["table", "column"] as const).flatMap((what) => {
    const number = made.filter((change) => change.what === what).length;
    return number === 0 ? [] : [countOf(number, what)];
  });
  return counts.length === 0 ? [] : [`${isRehearsal ? "would describe" : "described"} ${counts.join(" and ")}`];
}
