'use client'

import './globals.css'
import { inter } from './font/inter.ts'

// Replaces the root layout when the layout itself failed. Imports nothing of ours, because every screen loads this
// file.
export default function Page({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en" className={inter.variable}>
      <head>
        <title>This page could not be shown · Licenses &amp; Invoices</title>
      </head>
      <body>
        <main className="grid min-h-dvh content-center justify-items-center gap-2 p-6 text-center">
          <h1 className="text-title">This page could not be shown</h1>
          <p role="alert">Something failed on our side, or the service is not available for the moment.</p>
          {error.digest ? <p className="text-xs">Error {error.digest}</p> : null}
          <button type="button" className="mt-3 font-medium underline" onClick={() => location.reload()}>
            Try again
          </button>
        </main>
      </body>
    </html>
  )
}
