/** A source with the words of its names apart. */
export function wordsOfCode(source: string): string {
  return source
    .replaceAll(/clickhouse|warehouse/gi, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ");
}

/** The names of the tests of a source, and of what they are about. */
export function testNamesIn(source: string): readonly string[] {
  // a text before a function that is its first or second argument: by itself, or after the table of `each`
  const names = source.matchAll(
    /(?:\b(?:test|describe)(?:\.\w+)?|\))\(\s*(["`])((?:\\.|(?!\1)[^\\])*)\1,\s*(?:async\b|\(|\w+ =>|\{)/g,
  );
  return [...names].map(([, , name = ""]) => name);
}
