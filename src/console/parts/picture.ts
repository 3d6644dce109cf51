import { drawSvg, type Drawing } from "../../charts/draw.ts";
import { trustedMarkup, html, type Html } from "../html.ts";

/**
 * A drawing in two widths, in pixels: a page shows the one that fits, so that letters keep their size. It includes the colours for a dark
 * page, and a name and a description for readers who do not see it: the figure has no label of its own, which would be read out as well.
 */
export async function picture(drawing: (width: number) => Drawing, wide: number): Promise<Html> {
  const [forWide, forNarrow] = [drawing(wide), drawing(narrow)];
  return html`<link rel="stylesheet" href="/drawings.css" />
    <figure class="picture">
      <div class="for-wide">${trustedMarkup(await drawSvg(forWide, "wide"))}</div>
      <div class="for-narrow">${trustedMarkup(await drawSvg(forNarrow, "narrow"))}</div>
    </figure>`;
}

const narrow = 340;
