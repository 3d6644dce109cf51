import { afterAll, beforeAll } from "vitest";

/**
 * What `open` gives, for the tests of a file or of a `describe`: opened before the first of them and disposed of after the last. In between
 * its properties are those of what was opened, in a copy (`{ ...stage }`) as well. Before it is opened, any use of it throws.
 */
export function forTests<T extends AsyncDisposable>(open: () => Promise<T>): T {
  let opened: T | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(opened as object, name) as unknown,
    ownKeys: () => Reflect.ownKeys(opened as object),
    // a proxy of an empty object may only report properties that can be removed
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(opened as object, name);
      return found && { ...found, configurable: true };
    },
  });
}
