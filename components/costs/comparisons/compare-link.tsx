import Link from 'next/link'
import { comparisonHref } from '#components/billing/invoices/view.ts'
import { LinkSpinner } from '#components/ui/link-spinner.tsx'

/** Link to the comparison with the previous invoice, or to the choice of one where there is none. */
export function CompareLink({ id, before }: { id: string; before: string | undefined }) {
  return (
    <Link
      href={comparisonHref(before, id)}
      prefetch={false}
      className="rounded-sm text-ink-2 underline decoration-line-2 underline-offset-2 hover:decoration-current"
    >
      {before === undefined ? 'Compare with another' : 'Compare with previous'}
      <LinkSpinner />
    </Link>
  )
}
