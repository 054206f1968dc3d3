'use client'

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, Suspense, use, useEffect, useState } from 'react'
import type { View } from '#components/billing/invoices/view.ts'
import { selectionOf } from '#components/lists/filters/view.ts'
import { whyNot } from '#components/platform/problem/why-not.ts'
import { summarizeInvoices } from '#lib/billing/client.ts'
import type { InvoiceSummary } from '#lib/billing/invoices/contract.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

/** Reason why there is no summary, as text, and the id of the failed request. */
export type SummaryError = { why: string; requestId: string | undefined }
/** Summary that a page streams after its list. */
export type PendingSummary = Promise<{ summary: InvoiceSummary } | { failed: SummaryError }>

type State = {
  summary: InvoiceSummary | undefined
  /** Error of this view's summary. */
  failed: SummaryError | undefined
  /** The summary belongs to the previous view: this view's summary is still loading. */
  pending: boolean
  retry: () => void
}

/** Streamed summaries that were used: each is used once, later reads call the API. */
const consumed = new WeakSet<PendingSummary>()

/**
 * Renders its children as soon as the summary is there, so that nothing else waits for it or fails with it. Shows
 * `fallback` on the first page; later the previous summary stays until the next one has loaded.
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
  // Suspend for the first answer only: a later one would hold up the list that comes with it.
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
    // The error's own button retries: an automatic retry of a slow call would only take longer.
    retry: false,
  })
  // Refreshes the cached summary of the view together with its list.
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

/** Returns the page's answer, if it is still unused. */
function consume(answer: PendingSummary): Promise<InvoiceSummary> | undefined {
  if (consumed.has(answer)) return undefined
  consumed.add(answer)
  // React's streamed promise is a thenable whose `then` returns undefined.
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
  return { why: whyNot(error), requestId: error instanceof ProblemError ? error.more.requestId : undefined }
}
