import './globals.css'
import type { Metadata, Viewport } from 'next'
import { cookies, headers } from 'next/headers'
import { connection } from 'next/server'
import type { ReactNode } from 'react'
import { Providers } from './providers.tsx'

export const metadata: Metadata = {
  title: { template: '%s · Licenses & Invoices', default: 'Licenses & Invoices' },
  icons: { icon: '/favicon.svg' },
  robots: { index: false },
}

export const viewport: Viewport = { width: 'device-width', initialScale: 1, colorScheme: 'light dark' }

export default async function Layout({ children }: { children: ReactNode }) {
  // A page made at build time would carry scripts without this answer's nonce.
  await connection()
  const nonce = (await headers()).get('x-nonce') ?? undefined
  const theme = (await cookies()).get('theme')?.value
  return (
    <html lang="en" {...(theme === 'light' || theme === 'dark' ? { 'data-theme': theme } : {})}>
      <body>
        <Providers nonce={nonce}>{children}</Providers>
      </body>
    </html>
  )
}
