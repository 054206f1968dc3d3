import './globals.css'
import type { Metadata, Viewport } from 'next'
import { cookies } from 'next/headers'
import { connection } from 'next/server'
import type { ReactNode } from 'react'
import { cookieName } from '#lib/platform/caller/session.ts'
import { inter, interGreekCyrillic } from './font/inter.ts'
import { Providers } from './providers.tsx'

export const metadata: Metadata = {
  title: { template: '%s · Licenses & Invoices', default: 'Licenses & Invoices' },
  icons: { icon: '/favicon.svg' },
  robots: { index: false },
}

// The whole of a phone's screen, around whose edges globals.css and the bar of shortcuts go.
export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  colorScheme: 'light dark',
}

export default async function Layout({ children }: { children: ReactNode }) {
  // A page made at build time would carry scripts without this answer's nonce, which Next takes from the
  // policy that the front door puts on the request.
  await connection()
  const theme = (await cookies()).get(cookieName('theme'))?.value
  return (
    <html
      lang="en"
      className={`${inter.variable} ${interGreekCyrillic.variable}`}
      {...(theme === 'light' || theme === 'dark' ? { 'data-theme': theme } : {})}
    >
      <body>
        <Providers>{children}</Providers>
      </body>
    </html>
  )
}
