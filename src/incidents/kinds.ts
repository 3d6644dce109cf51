import { answerKinds } from "./kinds/answers.ts";
import { creditKinds } from "./kinds/credits.ts";
import { sentence, type AnyKind, type Facts } from "./kinds/define-kind.ts";
import { serviceKinds } from "./kinds/service.ts";
import { sliceKinds } from "./kinds/slices.ts";

/** Every kind of incident. */
export const incidentKinds = { ...serviceKinds, ...sliceKinds, ...creditKinds, ...answerKinds } satisfies Readonly<
  Record<string, AnyKind>
>;

/** The kind of an incident. */
export type IncidentKind = keyof typeof incidentKinds;

/** The figures of an incident of a kind. */
export type FactsOf<K extends IncidentKind> = (typeof incidentKinds)[K]["example"];

/** A kind by its name; undefined for one of another version. */
export function kindNamed(kind: string): AnyKind | undefined {
  return kind in incidentKinds ? incidentKinds[kind as IncidentKind] : undefined;
}

/** The title of a kind; of a newer version's kind, its name. */
export function titleOf(kind: string): string {
  return kindNamed(kind)?.title ?? kind;
}

/** The text of an incident in a message. `since`: when it began, as text; `effects`: other problems that it causes. */
export function summaryOf(
  { kind, facts }: { readonly kind: IncidentKind; readonly facts: Facts },
  since: string,
  effects: readonly string[] = [],
): string {
  return sentence(incidentKinds[kind].wording(facts as never, since), effects);
}
