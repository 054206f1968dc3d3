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
export type Failed = { why: string; requestId: string | undefined }
/** What a page brings of its summary, later than its list. */
export type LateAnswer = Promise<{ summary: InvoiceSummary } | { failed: Failed }>

type State = {
  summary: InvoiceSummary | undefined
  /** There is no summary of this view. */
  failed: Failed | undefined
  /** It is of the view before: that of this one is not there yet. */
  isOld: boolean
  retry: () => void
}

/** What a page brought is taken once; whoever asks again asks the API. */
const taken = new WeakSet<LateAnswer>()

/**
 * Shows what needs the summary as soon as that is there, so that nothing else waits for it or fails with it. `fallback`
 * stands there on the first page; later what was there stays until the next one has come.
 */
export function LateSummary({
  fallback,
  ...shown
}: {
  view: View
  answer: LateAnswer
  fallback?: ReactNode
  children: (state: State) => ReactNode
}) {
  return (
    <Suspense fallback={fallback}>
      <Shown {...shown} />
    </Suspense>
  )
}

function Shown({
  view,
  answer,
  children,
}: {
  view: View
  answer: LateAnswer
  children: (state: State) => ReactNode
}) {
  // The first answer alone is waited for here: a later one would hold up the list that comes with it.
  const [first] = useState(answer)
  const atFirst = use(first)
  const own = answer === first ? atFirst : undefined
  const client = useQueryClient()
  const query = selectionOf(view)
  const queryKey = summarizeInvoices.key({ query })
  const found = useQuery({
    queryKey,
    queryFn: ({ signal }) => taking(answer) ?? summarizeInvoices({ query }, signal),
    placeholderData: keepPreviousData,
    // Its own button asks again: what takes long would only take longer.
    retry: false,
  })
  // What is known of the view from before is as new as the list, too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is that of the page that brought the answer
  useEffect(() => {
    taking(answer)?.then(
      (summary) => client.setQueryData(queryKey, summary),
      () => client.invalidateQueries({ queryKey }),
    )
  }, [answer])
  const isFirst = found.isPending || found.isPlaceholderData
  return children({
    summary: found.data ?? (isFirst && own && 'summary' in own ? own.summary : undefined),
    failed: found.error ? failedOf(found.error) : isFirst && own && 'failed' in own ? own.failed : undefined,
    isOld: found.isPlaceholderData,
    retry: () => found.refetch(),
  })
}

/** The page's answer where nobody has taken it yet. */
function taking(answer: LateAnswer): Promise<InvoiceSummary> | undefined {
  if (taken.has(answer)) return undefined
  taken.add(answer)
  // What a page brings is a promise of React's, whose `then` gives nothing back.
  return Promise.resolve(answer).then((own) => {
    if ('failed' in own) throw new NotBrought(own.failed)
    return own.summary
  })
}

class NotBrought extends Error {
  readonly failed: Failed

  constructor(failed: Failed) {
    super(failed.why)
    this.failed = failed
  }
}

function failedOf(error: Error): Failed {
  if (error instanceof NotBrought) return error.failed
  return { why: whyNot(error), requestId: error instanceof Problem ? error.more.requestId : undefined }
}
