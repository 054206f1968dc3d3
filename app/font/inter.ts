import localFont from 'next/font/local'

// globals.css has a fallback font with Inter's metrics, from any of three common system fonts. `npm run font` makes the
// files.

/** The screens' font, loaded before the style sheet asks for it. */
export const inter = localFont({
  src: './inter.woff2',
  weight: '400 700',
  display: 'swap',
  adjustFontFallback: false,
  variable: '--font-inter',
})

/** Its Greek and Cyrillic letters, which a browser loads where a text has some. */
export const interGreekCyrillic = localFont({
  src: './inter-greek-cyrillic.woff2',
  weight: '400 700',
  display: 'swap',
  adjustFontFallback: false,
  preload: false,
  declarations: [{ prop: 'unicode-range', value: 'U+384-3CE, U+400-45F, U+490-491' }],
  variable: '--font-inter-greek-cyrillic',
})
