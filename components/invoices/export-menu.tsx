'use client'

import { ChevronDown } from 'lucide-react'
import { buttonLook } from '#components/ui/button-look.ts'
import { MENU_ITEM, Menu } from '#components/ui/menu.tsx'
import { exportInvoices } from '#lib/invoices/queries.ts'
import type { View } from './view.ts'

/** All that the view selects, on whatever page it is, as CSV: a row for each invoice or for each line item. */
export function ExportMenu({ view }: { view: View }) {
  const { pageToken: _, maxResults: __, ...query } = view
  return (
    <Menu
      side="under-right"
      buttonClassName={buttonLook('plain')}
      button={
        <>
          Export CSV
          <ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" />
        </>
      }
    >
      {(close) => (
        <>
          <a download href={exportInvoices.path({ query })} onClick={close} className={MENU_ITEM}>
            A row per invoice
          </a>
          <a
            download
            href={exportInvoices.path({ query: { ...query, lines: 'true' } })}
            onClick={close}
            className={MENU_ITEM}
          >
            A row per line item
          </a>
        </>
      )}
    </Menu>
  )
}
