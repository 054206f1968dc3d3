import { Button } from '#components/ui/button.tsx'
import { DownloadLink } from '#components/ui/button-link.tsx'
import { exportInvoiceFiles } from '#lib/billing/client.ts'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import { MAX_SELECTED } from '#lib/billing/invoices/rules.ts'

/** Longest request URL, in bytes, with some room for a proxy's own. */
const MAX_URL_LENGTH = 7000

/**
 * Actions on the selected invoices, on this page and on others. Sits below the rows, so that its appearance moves none
 * of them.
 */
export function SelectedInvoices({
  ids,
  invoices,
  onChange,
}: {
  ids: readonly string[]
  invoices: readonly Invoice[]
  onChange: (ids: string[]) => void
}) {
  const others = invoices.filter(({ id }) => !ids.includes(id))
  const path = exportInvoiceFiles.path({ query: { ids: [...ids] } })
  const tooMany = ids.length > MAX_SELECTED || path.length > MAX_URL_LENGTH
  return (
    <section
      aria-label="Selected invoices"
      className="sticky bottom-[calc(0.75rem+var(--bar))] z-10 mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-line-2 bg-surface px-4 py-2.5 shadow-float max-md:px-3.5 print:hidden"
    >
      <p role="status" className="mr-auto text-sm">
        {ids.length === 1 ? '1 invoice selected' : `${ids.length} invoices selected`}
        {tooMany ? ': too many for one archive' : ''}
      </p>
      {others.length > 0 ? (
        <Button variant="quiet" onClick={() => onChange([...ids, ...others.map(({ id }) => id)])}>
          Select all on this page
        </Button>
      ) : null}
      <Button variant="quiet" onClick={() => onChange([])}>
        Clear
      </Button>
      {tooMany ? (
        <Button variant="primary" disabled>
          Download PDFs
        </Button>
      ) : (
        <DownloadLink variant="primary" href={path}>
          {ids.length === 1 ? 'Download PDF' : `Download ${ids.length} PDFs`}
        </DownloadLink>
      )}
    </section>
  )
}
