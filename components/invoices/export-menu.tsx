'use client'

import { ChevronDown } from 'lucide-react'
import { type LateAnswer, LateSummary } from '#components/invoice-summary/late-summary.tsx'
import { buttonLook } from '#components/ui/button-look.ts'
import { countText } from '#components/ui/count-text.ts'
import { MENU_ITEM, Menu } from '#components/ui/menu.tsx'
import { exportInvoiceFiles } from '#lib/invoice-files/queries.ts'
import { exportInvoices } from '#lib/invoices/queries.ts'
import { MOST_FILES } from '#lib/invoices/rules.ts'
import type { View } from './view.ts'

/** All that the view selects, on whatever page it is, as files: a row for each invoice or line item, or their PDFs. */
export function ExportMenu({ view, figures }: { view: View; figures: LateAnswer }) {
  const { pageToken: _, maxResults: __, ...query } = view
  return (
    <Menu
      side="under-right"
      className="w-64"
      buttonClassName={buttonLook('plain')}
      button={
        <>
          Export
          <ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" />
        </>
      }
    >
      {(close) => (
        <>
          <Download href={exportInvoices.path({ query })} onClick={close}>
            CSV, a row per invoice
          </Download>
          <Download href={exportInvoices.path({ query: { ...query, lines: 'true' } })} onClick={close}>
            CSV, a row per line item
          </Download>
          <LateSummary answer={figures} view={view}>
            {({ summary }) => (
              <Archive
                href={exportInvoiceFiles.path({ query })}
                count={summary?.count ?? 0}
                onClick={close}
              />
            )}
          </LateSummary>
        </>
      )}
    </Menu>
  )
}

function Download(props: { href: string; onClick: () => void; children: string }) {
  return <a download {...props} className={MENU_ITEM} />
}

/** The files of all of them as one archive, where they are not too many for it. */
function Archive({ href, count, onClick }: { href: string; count: number; onClick: () => void }) {
  if (count === 0) return null
  if (count <= MOST_FILES)
    return (
      <Download href={href} onClick={onClick}>
        {count === 1 ? 'The PDF' : `${countText(count)} PDFs as one archive`}
      </Download>
    )
  return (
    <p className="border-t border-line px-2.5 py-2 text-xs text-ink-2">
      {`PDFs: these are ${countText(count)} invoices, and one archive holds at most ${MOST_FILES}. Choose a shorter time, or select the ones that you need.`}
    </p>
  )
}
