import { accountOf, accountWords } from "../../config/config-of-account.ts";
import { countOf } from "../../core/words.ts";
import { retryAction } from "../actions/retry.ts";
import { actionForm } from "../define-action.ts";
import type { PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";

/** A slice that may be retried, with the account of its run. */
type RetrySlice = {
  readonly sliceId: string;
  readonly isRetryable: boolean;
  /** What a retry is expected to cost. */
  readonly credits: number;
  readonly account: string;
};

/**
 * The button that requests a failed slice again, or how to do it if another account requested it; nothing if a retry would find nothing.
 */
export function retrySlice(context: PageContext, slice: RetrySlice): Html | null {
  const { sliceId, isRetryable, credits, account } = slice;
  if (!isRetryable) return null;
  if (account !== accountOf(context.app.config.settings)) {
    const how = account === "" ? "without STOREHOUSE_ACCOUNT" : `with STOREHOUSE_ACCOUNT=${account}`;
    return html`<span class="muted">of ${accountWords(account)}: retried <code>${how}</code></span>`;
  }
  return actionForm(context, {
    action: retryAction,
    label: `Retry · ${countOf(credits, "credit")}`,
    fields: { slices: sliceId },
    agreed: credits,
  });
}
