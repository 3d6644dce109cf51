import type { Operation } from "../api/define-operation.ts";
import type { Reply } from "../api/reply.ts";
import { readAccount } from "../credits/account.ts";
import { recordWrongPrice } from "../credits/costs.ts";
import { balanceDrop, judgePrice } from "../credits/price-header.ts";
import type { IngestParts } from "./ingest-parts.ts";

/** A reply as it is booked; `isShown` if the balance fell by exactly the price that it names. */
type BookedReply = { readonly reply: Reply; readonly isShown: boolean };

/**
 * Returns the reply with the price that is accepted. A price that differs from the documented one is compared with it and, if the call ran
 * alone, with the balance before and after it. A price that is not accepted is recorded, and the call is booked at the documented price. To
 * be called before the hold of the call is settled.
 */
export async function bookedReply(
  { db, accountId, clock, learned, log }: Pick<IngestParts, "db" | "accountId" | "clock" | "learned" | "log">,
  operation: Operation,
  reply: Reply,
): Promise<BookedReply> {
  const { price, remaining, resetsAt } = reply.credits;
  if (price === null || price === operation.cost) return { reply, isShown: false };
  const before = await readAccount(db, accountId);
  const drop = before === null ? null : balanceDrop(before, { remaining, resetsAt });
  const { isAccepted, isShown } = judgePrice({ header: price, documented: operation.cost, drop });
  if (isAccepted) return { reply, isShown };
  const wrong = { operation: operation.id, header: price, drop };
  const isNew = await recordWrongPrice(db, wrong, { documented: operation.cost, now: clock.now() });
  learned.set(operation.id, operation.cost);
  const fields = { operation: operation.id, price, documented: operation.cost, balance_drop: drop };
  // once as a warning only: a night has thousands of replies
  log[isNew ? "warn" : "debug"](fields, "price.not_accepted");
  return { reply: { ...reply, credits: { ...reply.credits, charged: operation.cost, price: null } }, isShown: false };
}
