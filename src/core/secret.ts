/**
 * Makes the function that hides secrets in a text, in every form in which JSON, URLs and HTML may escape them, nested ones too. The text
 * may be bytes read as latin1: the UTF-8 bytes of characters beyond ASCII are found too. Empty secrets hide nothing.
 */
export function hiderOf(secrets: readonly string[]): (text: string) => string {
  const spelled = secrets.filter((secret) => secret !== "").map(anySpelling);
  if (spelled.length === 0) return (text) => text;
  const pattern = new RegExp(spelled.join("|"), "g");
  return (text) => text.replace(pattern, "[hidden]");
}

/** A token shorter than this may be an ordinary word of an answer: it is removed only where it is named as the token. */
const shortToken = 12;

/** Every escaped form of a visible ASCII character contains one of these. Most bodies have none, and need no pattern. */
const escapes = ["%", "\\", "&"].map((sign) => sign.charCodeAt(0));

/** Makes the function that replaces tokens in a body, byte for byte; it returns the body itself if there is none. */
export function createTokenRemover(...tokens: readonly string[]): (body: Buffer) => Buffer {
  const secrets = tokens
    .filter((token) => token !== "")
    .map((token) => (token.length < shortToken ? `token=${token}` : token));
  const hide = hiderOf(secrets);
  const arePlain = secrets.every((secret) => /^[!-~]*$/.test(secret));
  return (body) => {
    if (arePlain && !escapes.some((sign) => body.includes(sign)) && !secrets.some((secret) => body.includes(secret)))
      return body;
    // latin1 maps bytes to characters one to one, so that the rest of the body does not change
    const text = body.toString("latin1");
    const clean = hide(text);
    return clean === text ? body : Buffer.from(clean, "latin1");
  };
}

const named: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/*
 * This keeps a search fast in any text: a pattern for a run of backslashes starts only at the beginning of the run and takes all of it. If
 * it could start at each backslash, it would read the rest of the run each time.
 */
const runBegins = String.raw`(?<!\\)`;

/** A pattern for a secret, each character plain or escaped. */
function anySpelling(secret: string): string {
  const parts = secret.match(/\\+|[^\\]/gu) ?? [];
  return parts
    .map((part, index) =>
      part.startsWith("\\")
        ? anyBackslashes(part.length)
        : anyCharacter(part, parts[index - 1]?.startsWith("\\") === true),
    )
    .join("");
}

/** A pattern for backslashes in a row. A run matches in any length: it may be escaped once or several times. */
function anyBackslashes(count: number): string {
  return `(?:${runBegins}\\\\+(?:u005[cC])?|%(?:25)*5[cC]|&(?:amp;)*(?:#0*92|#[xX]0*5[cC]);){1,${count}}`;
}

/**
 * A pattern for one character, plain or escaped. After a backslash of the secret, the run that escapes the character is matched already.
 */
function anyCharacter(character: string, followsBackslash: boolean): string {
  const escape = (run: "+" | "*") => `(?:${followsBackslash ? "(?<=\\\\)|" : ""}${runBegins}\\\\${run})`;
  const bytes = [...Buffer.from(character)].map((byte) => hex(byte, 2));
  const units = character.split("").map((unit) => hex(unit.charCodeAt(0), 4));
  const point = character.codePointAt(0) ?? 0;
  const names = [`#0*${point}`, `#[xX]0*${anyCase(point.toString(16))}`, named[character]].filter(Boolean);
  const forms = [
    bytes.map((byte) => `%(?:25)*${anyCase(byte)}`).join(""),
    units.map((unit) => `${escape("+")}u${anyCase(unit)}`).join(""),
    `&(?:amp;)*(?:${names.join("|")});`,
    ...(bytes.length > 1 ? [bytes.map((byte) => `\\x${byte}`).join("")] : []),
    ...(character === " " ? ["\\+"] : []),
    // last, since a plain % or & would leave the rest of its escaped form
    `${/["'/]/.test(character) ? escape("*") : ""}${units.map((unit) => `\\u${unit}`).join("")}`,
  ];
  return `(?:${forms.join("|")})`;
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}

function anyCase(digits: string): string {
  return digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
