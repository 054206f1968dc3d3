// Invisible characters, which reverse the order of the neighboring text (bidi override), or make two different names
// look alike (homograph attack). Variation selectors stay, and so do joiners in emoji and between letters that need
// them.
const INVISIBLE =
  /(?![\u200c\u200d]|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}|(?<![^\p{ASCII}])[\u200c\u200d]|[\u200c\u200d](?![^\p{ASCII}])/gu

/**
 * Returns a name with each invisible character as a visible code: `Invoice[U+202E]fdp`. All other text is unchanged.
 */
export function escapeInvisible(name: string): string {
  return name.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
  })
}
