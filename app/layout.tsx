import './globals.css'
import type { Metadata, Viewport } from 'next'
import { cookies } from 'next/headers'
import { connection } from 'next/server'
import type { ReactNode } from 'react'
import { cookieName } from '#lib/platform/caller/cookies.ts'
import { inter, interGreekCyrillic } from './font/inter.ts'
import { Providers } from './providers.tsx'

export const metadata: Metadata = {
  title: { template: '%s · Licenses & Invoices', default: 'Licenses & Invoices' },
  icons: { icon: '/favicon.svg' },
  robots: { index: false },
}

// Covers the whole screen of a phone; globals.css and the bottom bar respect the safe areas.
export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  colorScheme: 'light dark',
}

export default async function Layout({ children }: { children: ReactNode }) {
  // A static page would have scripts without this answer's nonce, which Next takes from the policy that the front door
  // sets on the request.
  await connection()
  const theme = (await cookies()).get(cookieName('theme'))?.value
  return (
    <html
      lang="en"
      className={`${inter.variable} ${interGreekCyrillic.variable}`}
      {...(theme === 'light' || theme === 'dark' ? { 'data-theme': theme } : {})}
    >
      <body>
        <noscript>
          <p className="border-b border-line bg-surface px-4 py-2.5 text-center">
            The console needs JavaScript. The pages for <a href="/developers">developers</a> work without it.
          </p>
        </noscript>
        <Providers>{children}</Providers>
      </body>
    </html>
  )
}
