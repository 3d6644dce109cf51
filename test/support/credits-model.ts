import type { CreditClass } from "../../src/core/slice.ts";
import { hour, minute } from "./credits-account.ts";

/** What a header says: the truth at the moment at which the service answered. */
type Header = { readonly left: number; readonly resetsAt: number };

/** A call: held, perhaps answered by the service, perhaps given up by the ledger. */
export type ModelCall = {
  readonly place: number;
  readonly cost: number;
  readonly expiresAt: number;
  lapsed: boolean;
  answered: Header | null;
};

/** The service as it is: a balance that comes back every period. */
export class ModelService {
  readonly total: number;
  left: number;
  resetsAt: number;

  constructor(total: number, resetsAt: number) {
    this.total = total;
    this.left = total;
    this.resetsAt = resetsAt;
  }

  passTo(now: number): void {
    while (now >= this.resetsAt) {
      this.resetsAt += 24 * hour;
      this.left = this.total;
    }
  }

  spend(credits: number): Header {
    this.left = Math.max(0, this.left - credits);
    return this.header();
  }

  header(): Header {
    return { left: this.left, resetsAt: this.resetsAt };
  }
}

/** The rules of the ledger, as a person would say them. */
export class ModelLedger {
  readonly service: ModelService;
  readonly floors: Readonly<Record<CreditClass, number>>;
  now: number;
  calls: ModelCall[] = [];
  left: number;
  resetsAt: number;
  overlapped = false;

  constructor(options: {
    total: number;
    now: number;
    resetsAt: number;
    floors: Readonly<Record<CreditClass, number>>;
  }) {
    this.service = new ModelService(options.total, options.resetsAt);
    this.floors = options.floors;
    this.now = options.now;
    this.left = options.total;
    this.resetsAt = options.resetsAt;
  }

  get holding(): readonly ModelCall[] {
    return this.calls.filter((call) => !call.lapsed);
  }

  get held(): number {
    return this.holding.reduce((sum, call) => sum + call.cost, 0);
  }

  grants(cost: number, creditClass: CreditClass): boolean {
    const floor = Math.ceil((this.service.total * Math.round(this.floors[creditClass] * 1000)) / 1000);
    return this.now < this.resetsAt && this.left - this.held - cost >= floor;
  }

  hold(place: number, cost: number): void {
    this.overlapped = this.holding.length > 0;
    this.calls.push({ place, cost, expiresAt: this.now + 15 * minute, lapsed: false, answered: null });
  }

  /** Ends a call with what its answer said of the balance (null: nothing) and what it cost. */
  end(call: ModelCall, header: Header | null, cost: number): void {
    const alone = !call.lapsed && this.holding.length === 1 && !this.overlapped;
    this.calls = this.calls.filter((one) => one !== call);
    this.#hear(header, alone, this.left - cost);
  }

  observe(): void {
    this.#hear(this.service.header(), this.holding.length === 0, this.left);
    this.overlapped ||= this.holding.length > 0;
  }

  letGo(): void {
    for (const call of this.calls) call.lapsed ||= call.expiresAt <= this.now;
  }

  #hear(header: Header | null, alone: boolean, fallback: number): void {
    if (header === null) {
      this.left = fallback;
      return;
    }
    const newPeriod = header.resetsAt > this.resetsAt + minute && this.now >= this.resetsAt - minute;
    const oldPeriod = header.resetsAt < this.resetsAt - minute;
    if (alone || newPeriod) Object.assign(this, header);
    else this.left = oldPeriod ? fallback : Math.min(this.left, header.left);
  }
}
