import type { families } from "../../datasets/shared/define-dataset.ts";
import { html, type Html } from "../html.ts";
import { pageAddress } from "./address.ts";
import { mark } from "./badge.ts";
import { codeText } from "./code-text.ts";
import { familyNames, type FamilyStatus } from "./family-status.ts";

const unknownGaps = "The ledger is too large to find days here that no sync will request: run `storehouse gaps`.";

/**
 * Whether the figures of each family can be trusted; null if that could not be read in time. `knowsUnrequested`: whether the days that a
 * sync no longer requests were read in time.
 */
export function trustList(
  statuses: readonly (FamilyStatus & { readonly family: (typeof families)[number] })[] | null,
  { knowsUnrequested }: { readonly knowsUnrequested: boolean },
): Html {
  if (statuses === null)
    return html`<p class="muted">
      The ledger is too large to work this out in time: raise <code>console.timeout_seconds</code>, or see
      <code>mart.data_freshness</code>.
    </p>`;
  return html`<ul class="families">
      ${statuses.map(
        ({ family, tone, sentence, datasets: own }) =>
          html`<li>
            ${mark(tone)}<strong>${familyNames[family]}</strong
            ><span>${codeText(sentence)}</span
            >${own.length > 0 && tone !== "good" && tone !== "calm" ? html`<a href="${pageAddress("/coverage", { dataset: own.join(",") })}">See the cells<span class="unseen"> of ${familyNames[family]}</span></a>` : null}
          </li>`,
      )}
    </ul>
    ${knowsUnrequested ? null : html`<p class="muted small">${codeText(unknownGaps)}</p>`}`;
}
