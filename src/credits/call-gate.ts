/** Holds calls back while it is decided whether any may be sent. */
export type CallGate = {
  /** Does what decides; calls wait meanwhile, and several decisions are made one after the other. */
  readonly whileHeld: <T>(decide: () => Promise<T>) => Promise<T>;
  /** Resolves when nothing is being decided. */
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
