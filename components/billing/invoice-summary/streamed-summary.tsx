'use client'

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, Suspense, use, useEffect, useState } from 'react'
import type { View } from '#components/billing/invoices/view.ts'
import { selectionOf } from '#components/lists/filters/view.ts'
import { whyNot } from '#components/platform/problem/why-not.ts'
import { summarizeInvoices } from '#lib/billing/client.ts'
import type { InvoiceSummary } from '#lib/billing/invoices/contract.ts'
import { Problem } from '#lib/platform/api/problem.ts'

/** Why there is no summary, in words, and of which request. */
export type SummaryError = { why: string; requestId: string | undefined }
/** What a page brings of its summary, later than its list. */
export type PendingSummary = Promise<{ summary: InvoiceSummary } | { failed: SummaryError }>

type State = {
  summary: InvoiceSummary | undefined
  /** There is no summary of this view. */
  failed: SummaryError | undefined
  /** It is of the view before: that of this one is not there yet. */
  pending: boolean
  retry: () => void
}

/** What a page brought is taken once; whoever asks again asks the API. */
const consumed = new WeakSet<PendingSummary>()

/**
 * Shows what needs the summary as soon as that is there, so that nothing else waits for it or fails with it. `fallback`
 * stands there on the first page; later what was there stays until the next one has come.
 */
export function StreamedSummary({
  fallback,
  ...props
}: {
  view: View
  answer: PendingSummary
  fallback?: ReactNode
  children: (state: State) => ReactNode
}) {
  return (
    <Suspense fallback={fallback}>
      <SummaryQuery {...props} />
    </Suspense>
  )
}

function SummaryQuery({
  view,
  answer,
  children,
}: {
  view: View
  answer: PendingSummary
  children: (state: State) => ReactNode
}) {
  // The first answer alone is waited for here: a later one would hold up the list that comes with it.
  const [first] = useState(answer)
  const atFirst = use(first)
  const initial = answer === first ? atFirst : undefined
  const client = useQueryClient()
  const query = selectionOf(view)
  const queryKey = summarizeInvoices.key({ query })
  const result = useQuery({
    queryKey,
    queryFn: ({ signal }) => consume(answer) ?? summarizeInvoices({ query }, signal),
    placeholderData: keepPreviousData,
    // Its own button asks again: what takes long would only take longer.
    retry: false,
  })
  // What is known of the view from before is as new as the list, too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is that of the page that brought the answer
  useEffect(() => {
    consume(answer)?.then(
      (summary) => client.setQueryData(queryKey, summary),
      () => client.invalidateQueries({ queryKey }),
    )
  }, [answer])
  const isFirst = result.isPending || result.isPlaceholderData
  return children({
    summary: result.data ?? (isFirst && initial && 'summary' in initial ? initial.summary : undefined),
    failed: result.error
      ? failedOf(result.error)
      : isFirst && initial && 'failed' in initial
        ? initial.failed
        : undefined,
    pending: result.isPlaceholderData,
    retry: () => result.refetch(),
  })
}

/** The page's answer where nobody has taken it yet. */
function consume(answer: PendingSummary): Promise<InvoiceSummary> | undefined {
  if (consumed.has(answer)) return undefined
  consumed.add(answer)
  // What a page brings is a promise of React's, whose `then` gives nothing back.
  return Promise.resolve(answer).then((loaded) => {
    if ('failed' in loaded) throw new NotBrought(loaded.failed)
    return loaded.summary
  })
}

class NotBrought extends Error {
  readonly failed: SummaryError

  constructor(failed: SummaryError) {
    super(failed.why)
    this.failed = failed
  }
}

function failedOf(error: Error): SummaryError {
  if (error instanceof NotBrought) return error.failed
  return { why: whyNot(error), requestId: error instanceof Problem ? error.more.requestId : undefined }
}
