import { html, type Html, type Part } from "../html.ts";

/** Breadcrumbs: links to the pages above a page, and its own name. */
export function breadcrumbs(above: readonly (readonly [address: string, name: string])[], here: string): Html {
  return html`<ol class="breadcrumbs">
    ${above.map(([address, name]) => html`<li><a href="${address}">${name}</a></li>`)}
    <li>${here}</li>
  </ol>`;
}

/** The head of a page: its title, a sentence about it, and what is next to them. */
export function pageHead(title: string, about: Part, beside: Part = null): Html {
  return html`<header class="head">
    <div>
      <h1>${title}</h1>
      <p>${about}</p>
    </div>
    ${beside}
  </header>`;
}
