'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { countText } from '#components/ui/count-text.ts'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { listCharges } from '#lib/billing/charges/queries.ts'
import { ChargeTable } from './charge-table.tsx'

/** So many are shown at once: a line may have a hundred thousand. */
const PAGE = 20

/** Which charges of an invoice: those of a line, those that lead to none, or all. */
export type Charges = {
  invoiceId: string
  line?: string | undefined
  withoutLine?: boolean | undefined
  /** How many there are, and what of. */
  count: number
  label: string
}

/** Charges of an invoice, a page at a time, read once they are asked for. */
export function ChargeList({ invoiceId, line, withoutLine, count, label }: Charges) {
  const [pageToken, setPageToken] = useState<string>()
  const given = {
    params: { invoice_id: invoiceId },
    query: {
      ...(line === undefined ? {} : { line }),
      ...(withoutLine ? { withoutLine: 'true' as const } : {}),
      maxResults: PAGE,
      ...(pageToken ? { pageToken } : {}),
    },
  }
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: listCharges.key(given),
    queryFn: ({ signal }) => listCharges(given, signal),
    placeholderData: keepPreviousData,
  })
  if (error)
    return (
      <ProblemNote
        title="The charges could not be read"
        detail={error.message}
        action={<Button onClick={() => refetch()}>Try again</Button>}
      />
    )
  if (!data) return <SkeletonRows count={Math.min(count, 3)} />
  const { charges, previousPageToken, pageToken: next } = data
  return (
    <div aria-busy={isPlaceholderData}>
      <ChargeTable charges={charges} label={label} />
      {previousPageToken || next ? (
        <nav
          aria-label={`Pages of ${label}`}
          className="flex flex-wrap items-center justify-between gap-2 px-3 py-2"
        >
          <span role="status" className="text-xs text-ink-3 tabular-nums">
            {`${countText(charges.length)} of ${countText(count)}, the dearest first`}
          </span>
          <span className="flex gap-2">
            <Button disabled={!previousPageToken} onClick={() => setPageToken(previousPageToken)}>
              Previous
            </Button>
            <Button disabled={!next} onClick={() => setPageToken(next)}>
              Next
            </Button>
          </span>
        </nav>
      ) : null}
    </div>
  )
}
