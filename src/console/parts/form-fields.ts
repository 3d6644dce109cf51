import { html, type Html } from "../html.ts";

/** A field of a form in which one of several values is chosen. `all`: what the empty value means; left out if there is none. */
type Field = { readonly name: string; readonly label: string; readonly value: string; readonly all?: string };

/** The field with its values and their labels. */
export function choice({ name, label, value, all }: Field, options: readonly (readonly [string, string])[]): Html {
  const offered = [
    ...(all === undefined ? [] : [["", all] as const]),
    ...options,
    // the value in the address stays chosen even if it is not an option
    ...(value === "" || options.some(([one]) => one === value) ? [] : [[value, value] as const]),
  ];
  return html`<label
    >${label}<select name="${name}">
      ${offered.map(
        ([one, text]) => html`<option value="${one}" ${one === value ? html` selected` : null}>${text}</option>`,
      )}
    </select></label
  >`;
}

/** Fields that a form sends back as they are. */
export function hiddenFields(fields: Readonly<Record<string, string | number>>): readonly Html[] {
  return Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
}
