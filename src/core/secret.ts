/**
 * Makes the function that hides secrets in a text, in every way that JSON, URLs and HTML spell them, also one inside the other.
 * The text may be bytes read as latin1: of characters beyond ASCII the UTF-8 bytes are found too. Empty secrets hide nothing.
 */
export function hiderOf(secrets: readonly string[]): (text: string) => string {
  const spelled = secrets.filter((secret) => secret !== "").map(anySpelling);
  if (spelled.length === 0) return (text) => text;
  const pattern = new RegExp(spelled.join("|"), "g");
  return (text) => text.replace(pattern, "[hidden]");
}

/** A token shorter than this may well be a word of an honest answer: it is struck out only where it is named as the token. */
const shortToken = 12;

/** One of these is in every spelling of a visible ASCII character but the plain one. Most bodies have none, and need no pattern. */
const escapes = ["%", "\\", "&"].map((sign) => sign.charCodeAt(0));

/** Makes the function that strikes tokens out of a body byte for byte; it returns the body itself when none is in there. */
export function strikerOf(...tokens: readonly string[]): (body: Buffer) => Buffer {
  const secrets = tokens
    .filter((token) => token !== "")
    .map((token) => (token.length < shortToken ? `token=${token}` : token));
  const hide = hiderOf(secrets);
  const arePlain = secrets.every((secret) => /^[!-~]*$/.test(secret));
  return (body) => {
    if (arePlain && !escapes.some((sign) => body.includes(sign)) && !secrets.some((secret) => body.includes(secret)))
      return body;
    // latin1 maps bytes to characters one to one, so that the rest of the body stays as it came
    const text = body.toString("latin1");
    const clean = hide(text);
    return clean === text ? body : Buffer.from(clean, "latin1");
  };
}

const named: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/*
 * A search ends soon in any text: a pattern that takes a run of backslashes begins where the run begins and takes all of it. One that
 * began at each of them would read the rest of the run each time.
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

/** A pattern for backslashes in a row. An unescaped run stands for any number of them: it may be escaped once or several times. */
function anyBackslashes(count: number): string {
  return `(?:${runBegins}\\\\+(?:u005[cC])?|%(?:25)*5[cC]|&(?:amp;)*(?:#0*92|#[xX]0*5[cC]);){1,${count}}`;
}

/** A pattern for one character, plain or escaped. After a backslash of the secret the run that escapes it is taken already. */
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
    // last, since % or & as it is would leave the rest of its escaped form
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
