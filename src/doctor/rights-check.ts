import type { Database } from "../postgres/database.ts";
import { lackingRights } from "../postgres/lacking-rights.ts";
import { ill, well, type Diagnosis } from "./diagnosis.ts";

/** Whether the user may do what loading takes, and what migrating takes. */
export async function checkRights(db: Database): Promise<Diagnosis> {
  const { me, mayCreate, tables, foreign, lacking } = await lackingRights(db);
  if (tables === 0)
    return mayCreate
      ? well("rights", `${me} may create schemas`)
      : ill(
          "rights",
          "fail",
          `${me} may not create schemas`,
          `\`grant create on database ... to ${me}\`, or migrate as its owner`,
        );
  if (lacking.length > 0) return ill("rights", "fail", `${me} lacks ${lackingInWords(lacking)}`, grantsAgain(me));
  return foreign > 0
    ? well("rights", `${me} may load; migrations are the owner's`)
    : well("rights", `${me} owns the schemas`);
}

const shownAtMost = 3;

/** What is lacking, by name. */
export function lackingInWords(lacking: readonly string[]): string {
  const more = lacking.length - shownAtMost;
  return `${lacking.slice(0, shownAtMost).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What mends it. */
export function grantsAgain(me: string): string {
  return me === "storehouse_loader"
    ? "have the owner run `storehouse grants`: this program needs rights that an older one did not"
    : "connect as storehouse_loader, and have the owner run `storehouse grants`";
}
