'use client'

import './globals.css'
import { PageError } from '#components/ui/page-error.tsx'
import { inter } from './font/inter.ts'

// Stands in for the root layout when that itself failed.
export default function Page({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en" className={inter.variable}>
      <head>
        <title>This page could not be shown · Licenses &amp; Invoices</title>
      </head>
      <body>
        <main>
          <PageError digest={error.digest} onRetry={() => location.reload()} />
        </main>
      </body>
    </html>
  )
}
