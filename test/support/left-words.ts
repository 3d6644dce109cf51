/** Words of our own that no text for users contains: the field's words for them are in the glossary. */
const leftWords: readonly RegExp[] = [
  /\b(told|tells?|telling|untold)\b/i,
  /\b(asked|asks|asking|ask (for|again))\b/i,
  /\b(can|cannot|could|to) be had\b/i,
  /\bfree question\b/i,
  /\bcounted in\b/i,
  /\bby (itself|themselves)\b/i,
  /\b(is away|answers nobody)\b/i,
  /\b(whoever|whatever|somebody)\b/i,
  /\bhands\b/i,
  /\bin hand\b/i,
  /\bin_hand\b/i,
  /\blet(s|ting)? go\b/i,
  /\b(pulse|buried|bury)\b/i,
  /\b(taken for dead|frees? the dead|enters? anew)\b/i,
  /\bbeyond (its|their) limit\b/i,
  /\bcredits reach again\b/i,
  /\bstrays?\b/i,
  /\bfollowed\b(?! by)/i,
  /\b(left open|barren|standings?)\b/i,
  /\b(heard|unheard)\b/i,
  /\bset aside\b/i,
  // also a level of the log and an option of curl
  /(?<!--)\bsilent\b(?!, fatal)/i,
  /\b(belief|believes?|believed|wavers?|blurred)\b/i,
  /\b(wish|wishes)\b/i,
  /\b(fares?|riders?)\b/i,
  /\b(house|scene)\b/i,
  /\bbrought\b/i,
  /\b(glances?|looks?|looked)\b(?! up)/i,
  /\b(notice|news)\b/i,
  /\b(patient|ill)\b/i,
  /\b(doubt|doubts|strangeness|unfit)\b/i,
  /\bticks?\b/i,
  /\bspelled otherwise\b/i,
];

const anyLeftWord = new RegExp(leftWords.map(({ source }) => source).join("|"), "gi");

/** The words in a text that the glossary replaces. */
export function leftWordsIn(text: string): readonly string[] {
  return text.match(anyLeftWord) ?? [];
}
