/** The texts between quotes and backticks of a source; code within a template and SQL are left out. */
export function textsIn(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "").replaceAll(/sql(<[^`]*>)?`[\s\S]*?`/g, "");
  const texts = code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g);
  return [...texts].map(([, quoted, template]) => (quoted ?? template ?? "").replaceAll(/\$\{[^}]*\}/g, ""));
}
