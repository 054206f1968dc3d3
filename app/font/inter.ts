import localFont from 'next/font/local'

// globals.css has a fallback font with Inter's metrics, from any of three common system fonts. `npm run font` makes the
// files.

/** Font of the screens, preloaded before the style sheet requests it. */
export const inter = localFont({
  src: './inter.woff2',
  weight: '400 700',
  display: 'swap',
  adjustFontFallback: false,
  variable: '--font-inter',
})

/** Greek and Cyrillic letters of the font, loaded only for texts that contain some. */
export const interGreekCyrillic = localFont({
  src: './inter-greek-cyrillic.woff2',
  weight: '400 700',
  display: 'swap',
  adjustFontFallback: false,
  preload: false,
  declarations: [{ prop: 'unicode-range', value: 'U+384-3CE, U+400-45F, U+490-491' }],
  variable: '--font-inter-greek-cyrillic',
})
