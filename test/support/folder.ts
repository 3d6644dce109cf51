import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";

/** Makes an empty folder; disposing removes it with what is in it. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const made = mkdtempSync(path.join(tmpdir(), "storehouse-test-"));
  return { path: made, [Symbol.dispose]: () => rmSync(made, { recursive: true, force: true }) };
}

/** A folder for the tests of a file or of a `describe`; its path. */
export function folderForTests(): string {
  const folder = temporaryFolder();
  afterAll(() => folder[Symbol.dispose]());
  return folder.path;
}
