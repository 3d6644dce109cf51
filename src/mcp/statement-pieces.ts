type PieceKind = "code" | "comment" | "name" | "string";

/** A piece of a statement. */
type Piece = { readonly kind: PieceKind; readonly text: string };

/** What may contain the start of something else: comments, quoted names, and strings in each of their notations. */
const quoted =
  /(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)|(?<name>"(?:[^"]|"")*")|(?<string>(?<![\w$])\$(?<tag>(?:[a-z_]\w*)?)\$[\s\S]*?\$\k<tag>\$|\be'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*')/gis;

/** The pieces of a statement in their order; joined, they are the statement. */
export function pieces(statement: string): readonly Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of statement.matchAll(quoted)) {
    if (match.index > end) found.push({ kind: "code", text: statement.slice(end, match.index) });
    const { comment, name } = match.groups ?? {};
    found.push({ kind: comment !== undefined ? "comment" : name !== undefined ? "name" : "string", text: match[0] });
    end = match.index + match[0].length;
  }
  return end === statement.length ? found : [...found, { kind: "code", text: statement.slice(end) }];
}

/** The statement with another text in place of each piece of some kinds. */
export function replaced(
  statement: string,
  texts: Readonly<Partial<Record<PieceKind, string | ((text: string) => string)>>>,
): string {
  return pieces(statement)
    .map(({ kind, text }) => {
      const other = texts[kind] ?? text;
      return typeof other === "string" ? other : other(text);
    })
    .join("");
}

/** The statement without its comments. */
export function withoutComments(statement: string): string {
  return replaced(statement, { comment: " " });
}
