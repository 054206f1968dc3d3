import localFont from 'next/font/local'

/** The screens' one font, loaded before the style sheet asks for it. `npm run font` makes its file. */
export const inter = localFont({
  src: './inter.woff2',
  weight: '400 700',
  display: 'swap',
  // globals.css has a stand-in with Inter's measures, in whatever of three faces the machine has.
  adjustFontFallback: false,
  variable: '--font-inter',
})
