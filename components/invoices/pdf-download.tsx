'use client'

import { ChevronDown } from 'lucide-react'
import { type LateAnswer, LateSummary } from '#components/invoice-summary/late-summary.tsx'
import { DownloadLink } from '#components/ui/button-link.tsx'
import { buttonLook } from '#components/ui/button-look.ts'
import { countText } from '#components/ui/count-text.ts'
import { Menu } from '#components/ui/menu.tsx'
import { exportInvoiceFiles } from '#lib/invoice-files/queries.ts'
import { MOST_FILES } from '#lib/invoices/rules.ts'
import type { View } from './view.ts'

/** The files of all invoices that the view selects, on whatever page it is, as one archive. */
export function PdfDownload({ view, figures }: { view: View; figures: LateAnswer }) {
  return (
    <LateSummary answer={figures} view={view}>
      {({ summary }) => <Archive view={view} count={summary?.count ?? 0} />}
    </LateSummary>
  )
}

function Archive({ view, count }: { view: View; count: number }) {
  const { pageToken: _, maxResults: __, ...query } = view
  if (count === 0) return null
  if (count <= MOST_FILES)
    return <DownloadLink href={exportInvoiceFiles.path({ query })}>Download PDFs</DownloadLink>
  return (
    <Menu
      side="under-right"
      className="w-72"
      buttonClassName={buttonLook('plain')}
      button={
        <>
          Download PDFs
          <ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" />
        </>
      }
    >
      {() => (
        <p className="px-2.5 py-2 text-sm text-ink-2">
          {`These are ${countText(count)} invoices, and one archive holds at most ${MOST_FILES}. Choose a shorter time, or tick the ones that you need.`}
        </p>
      )}
    </Menu>
  )
}
