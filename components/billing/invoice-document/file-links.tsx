'use client'

import { ChevronDown } from 'lucide-react'
import { DownloadLink } from '#components/ui/button-link.tsx'
import { buttonVariants } from '#components/ui/button-variants.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { MENU_ITEM, Menu } from '#components/ui/menu.tsx'
import type { InvoiceWithLines } from '#lib/billing/invoices/contract.ts'

type Files = InvoiceWithLines['files']

/**
 * Links to the document of an invoice at `href`; where the issuer's document is stored, also to our copy of it, and to
 * the XML.
 */
export function FileLinks({
  href,
  files,
  copy,
}: {
  href: string
  files: Files
  /** Address of a copy with the payments until now; undefined where nothing was paid or credited. */
  copy: string | undefined
}) {
  const others = [...othersOf(files), ...(copy ? [{ name: 'With payments and credits', url: copy }] : [])]
  return (
    <>
      <DownloadLink variant="primary" href={href}>
        Download PDF
      </DownloadLink>
      {others.length > 0 ? (
        <Menu
          side="under-right"
          buttonClassName={buttonVariants('plain')}
          button={
            <>
              Other files
              <ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" />
            </>
          }
        >
          {(close) =>
            others.map(({ name, url }) => (
              <a key={name} download href={url} onClick={close} className={MENU_ITEM}>
                {escapeInvisible(name)}
              </a>
            ))
          }
        </Menu>
      ) : null}
    </>
  )
}

/** Returns the further documents: all but the issuer's PDF, or ours where there is none. */
function othersOf(files: Files): { name: string; url: string }[] {
  const isOurs = !files.some(({ kind }) => kind === 'original-pdf')
  return files.flatMap(({ kind, url }) => {
    if (kind === 'original-xml') return [{ name: 'XML', url: pathOf(url) }]
    if (kind === 'superseded') return [{ name: 'Our first copy', url: pathOf(url) }]
    return kind === 'drawn' && !isOurs ? [{ name: 'Our copy', url: pathOf(url) }] : []
  })
}

/** Returns the path on this console's host, because a session belongs to one host. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
