/** Holds calls back during a decision whether any may be sent. */
export type CallGate = {
  /** Runs a decision. Calls wait until it ends; decisions run one after the other. */
  readonly whileHeld: <T>(decide: () => Promise<T>) => Promise<T>;
  /** Resolves when no decision is running. */
  readonly pass: () => Promise<void>;
};

/** Makes an open gate. */
export function createCallGate(): CallGate {
  let deciding: Promise<unknown> | null = null;

  async function pass(): Promise<void> {
    if (deciding === null) return;
    await deciding.catch(() => undefined);
    await pass();
  }

  async function whileHeld<T>(decide: () => Promise<T>): Promise<T> {
    const before = deciding;
    const mine = (async () => {
      await before?.catch(() => undefined);
      return decide();
    })();
    deciding = mine;
    try {
      return await mine;
    } finally {
      if (deciding === mine) deciding = null;
    }
  }

  return { whileHeld, pass };
}
