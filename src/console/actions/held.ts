import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { accountOf } from "../../config/config-of-account.ts";
import { countOf } from "../../core/words.ts";
import { fail } from "../../core/errors.ts";
import { readHeld, type HeldAnswer } from "../../ledger/held-answers.ts";
import { aboutOf, agreeToAnswers } from "../../person/held-answers.ts";
import { defineAction, type ActionContext } from "../define-action.ts";
import { html } from "../html.ts";

async function heldNow({ app }: ActionContext) {
  const held = await readHeld(app.warehouse.db, accountOf(app.config.settings));
  if (held.length === 0) throw fail("console_bad_input", { problem: "no answers are held any longer" });
  return held;
}

/** What an agreement is bound to: a later held answer has another slice. */
const slicesOf = (held: readonly HeldAnswer[]) => held.map(({ sliceId }) => sliceId);

/** Applies the answers that are held, as `storehouse held --apply` does. An agreement applies only to those that were shown. */
export const heldAction = defineAction({
  name: "held",
  label: "Apply the held answers",
  input: z.object({}),
  readsAsLoader: true,
  price: async (context) => {
    const held = await heldNow(context);
    return {
      credits: 0,
      alwaysAsk: true,
      about: { slices: slicesOf(held) },
      binds: slicesOf(held),
      says: `${countOf(held.length, "held answer is", "held answers are")} applied: what they leave out is removed from the portfolio and no longer requested.`,
      detail: html`<ul class="plain">
        ${held.map(
          (one) =>
            html`<li>
              ${one.dataset} of ${aboutOf(one)}, ${one.day}: leaves out ${one.closing} of ${one.current} members
            </li>`,
        )}
      </ul>`,
    };
  },
  run: async (context, _, agreed) => {
    const held = await heldNow(context);
    if (!isDeepStrictEqual(slicesOf(held), agreed.binds))
      throw fail("console_bad_input", {
        problem: "the held answers have changed since they were shown: review them again",
      });
    await agreeToAnswers(context.app, held);
    return {
      says: `Applied ${countOf(held.length, "answer")}. The next sync or scheduled run plans with them.`,
      to: "/",
    };
  },
});
