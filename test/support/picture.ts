/** An element of a picture: its name, its attributes, and the text and elements in it. */
export type Element = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
};

const token = /<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;

/** Reads XML as strictly as its readers do: throws when it is not well-formed. */
export function readPicture(text: string): Element {
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  let end = 0;
  for (const [whole, closing, name = "", attributes = "", selfClosing, words] of text.matchAll(token)) {
    end += whole.length;
    const top = open.at(-1)!;
    if (words !== undefined) top.text += plain(words);
    else if (closing === "/") {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes nothing`);
    } else {
      const made: Element = { name, attributes: attributesOf(attributes), children: [], text: "" };
      top.children.push(made);
      if (selfClosing !== "/") open.push(made);
    }
  }
  if (end !== text.length || open.length !== 1)
    throw new Error(`not well-formed after ${text.slice(0, end).slice(-80)}`);
  return root.children[0]!;
}

/** Every element of a name, in its order. */
export function all(element: Element, name: string): readonly Element[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)]);
}

/** Elements of a class. */
export function ofClass(element: Element, name: string): readonly Element[] {
  const here = element.children.filter(({ attributes }) => attributes["class"]?.split(" ").includes(name));
  return [...here, ...element.children.flatMap((child) => ofClass(child, name))];
}

function attributesOf(text: string): Record<string, string> {
  const found = [...text.matchAll(/([\w:-]+)="([^"]*)"/g)].map(
    ([, name = "", value = ""]) => [name, plain(value)] as const,
  );
  if (new Set(found.map(([name]) => name)).size !== found.length) throw new Error(`an attribute twice:${text}`);
  return Object.fromEntries(found);
}

const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };

function plain(text: string): string {
  // eslint-disable-next-line no-control-regex -- XML has no way to hold these
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text)) throw new Error("a character that XML cannot hold");
  return text.replaceAll(/&[^;]*;?/g, (found) => {
    const known = entities[found];
    if (known === undefined) throw new Error(`no such entity: ${found}`);
    return known;
  });
}
