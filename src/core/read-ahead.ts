/** Reads the next item while the caller works on the one before; in order, one ahead. */
export async function* readAhead<I, O>(
  items: AsyncIterable<I> | Iterable<I>,
  read: (item: I) => Promise<O>,
): AsyncGenerator<O> {
  let next: Promise<O> | null = null;
  for await (const item of items) {
    const before: Promise<O> | null = next;
    next = read(item);
    // the error is thrown where the item is taken
    next.catch(() => undefined);
    if (before !== null) yield await before;
  }
  if (next !== null) yield await next;
}

/** Groups items, in order, until a group weighs at least `most`, or until the next item may not be in it. */
export async function* gathered<I>(
  items: AsyncIterable<I> | Iterable<I>,
  {
    most,
    weigh,
    mayJoin = () => true,
  }: {
    readonly most: number;
    readonly weigh: (item: I) => number;
    readonly mayJoin?: (group: readonly I[], item: I) => boolean;
  },
): AsyncGenerator<readonly I[]> {
  let group: I[] = [];
  let weight = 0;
  for await (const item of items) {
    if (group.length > 0 && (weight >= most || !mayJoin(group, item))) {
      yield group;
      group = [];
      weight = 0;
    }
    group.push(item);
    weight += weigh(item);
  }
  if (group.length > 0) yield group;
}
