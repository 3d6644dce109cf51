import { drawSvg, type Drawing } from "../../charts/draw.ts";
import { trustedMarkup, html, type Html } from "../html.ts";

/**
 * A drawing in two widths, in pixels, of which a page shows the one that suits its own: letters keep their size. With the colours that it
 * has on a dark page.
 */
export async function picture(
  drawing: (width: number) => Drawing,
  { label, wide }: { readonly label: string; readonly wide: number },
): Promise<Html> {
  const [forWide, forNarrow] = [drawing(wide), drawing(narrow)];
  return html`<link rel="stylesheet" href="/drawings.css" />
    <figure class="picture" aria-label="${label}">
      <div class="for-wide">${trustedMarkup(await drawSvg(forWide, "wide"))}</div>
      <div class="for-narrow">${trustedMarkup(await drawSvg(forNarrow, "narrow"))}</div>
    </figure>`;
}

const narrow = 340;
