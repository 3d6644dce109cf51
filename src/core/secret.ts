/**
 * Makes the function that hides secrets in a text, in every way that JSON, URLs and HTML spell them, also one inside the other.
 * The text may be bytes read as latin1: of characters beyond ASCII the UTF-8 bytes are found too. Empty secrets hide nothing.
 */
export function hiderOf(secrets: readonly string[]): (text: string) => string {
  const spelled = secrets.filter((secret) => secret !== "").map((secret) => Array.from(secret, anySpelling).join(""));
  if (spelled.length === 0) return (text) => text;
  const pattern = new RegExp(spelled.join("|"), "g");
  return (text) => text.replace(pattern, "[hidden]");
}

/** A token shorter than this may well be a word of an honest answer: it is struck out only where it is named as the token. */
const shortToken = 12;

/** Makes the function that strikes a token out of a body byte for byte; it returns the body itself when the token is not in there. */
export function strikerOf(token: string): (body: Buffer) => Buffer {
  const hide = hiderOf([token !== "" && token.length < shortToken ? `token=${token}` : token]);
  return (body) => {
    // latin1 maps bytes to characters one to one, so that the rest of the body stays as it came
    const text = body.toString("latin1");
    const clean = hide(text);
    return clean === text ? body : Buffer.from(clean, "latin1");
  };
}

const named: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/** A pattern for one character, plain or escaped. */
function anySpelling(character: string): string {
  const bytes = [...Buffer.from(character)].map((byte) => hex(byte, 2));
  const units = character.split("").map((unit) => hex(unit.charCodeAt(0), 4));
  const point = character.codePointAt(0) ?? 0;
  const names = [`#0*${point}`, `#[xX]0*${anyCase(point.toString(16))}`, named[character]].filter(Boolean);
  const forms = [
    bytes.map((byte) => `%(?:25)*${anyCase(byte)}`).join(""),
    units.map((unit) => `\\\\+u${anyCase(unit)}`).join(""),
    `&(?:amp;)*(?:${names.join("|")});`,
    ...(bytes.length > 1 ? [bytes.map((byte) => `\\x${byte}`).join("")] : []),
    ...(character === " " ? ["\\+"] : []),
    // last, since % or & as it is would leave the rest of its escaped form
    `${/["'/\\]/.test(character) ? "\\\\*" : ""}${units.map((unit) => `\\u${unit}`).join("")}`,
  ];
  return `(?:${forms.join("|")})`;
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}

function anyCase(digits: string): string {
  return digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
