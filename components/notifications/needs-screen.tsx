'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useState } from 'react'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Card } from '#components/ui/card.tsx'
import { LinkHint } from '#components/ui/link-hint.tsx'
import type { Need } from '#lib/notifications/needs/contract.ts'
import { listNeeds } from '#lib/notifications/needs/queries.ts'
import { KIND_NAMES } from '#lib/notifications/needs/words.ts'
import { DismissedNeeds } from './dismissed-needs.tsx'
import { NeedLine } from './need-line.tsx'
import { NothingNeeded } from './nothing-needed.tsx'

/** Lines that were put aside in this visit stay where they are, so that they can be brought back at once. */
type Kept = ReadonlySet<string>

/** What needs the caller, by kind. The page has put the answer into the cache. */
export function NeedsScreen() {
  const { data, error, refetch } = useQuery({
    queryKey: listNeeds.key({}),
    queryFn: ({ signal }) => listNeeds({}, signal),
  })
  const [kept, setKept] = useState<Kept>(new Set())
  /** The line whose button has the focus, because it came there or changed. */
  const [moved, setMoved] = useState<string>()
  if (!data) return null
  const onMoved = ({ id, isDismissed }: Need) => {
    setKept((before) => new Set(isDismissed ? [...before, id] : [...before].filter((one) => one !== id)))
    setMoved(id)
  }
  const shown = data.needs.filter(({ id, isDismissed }) => !isDismissed || kept.has(id))
  const away = data.needs.filter(({ id, isDismissed }) => isDismissed && !kept.has(id))
  return (
    <>
      {error ? <RefreshFailed what="needs" error={error} onRetry={() => refetch()} /> : null}
      {shown.length === 0 ? <NothingNeeded looked={data.looked} /> : null}
      <div className="grid gap-6">
        {[...Map.groupBy(shown, ({ kind }) => kind)].map(([kind, needs]) => (
          <section key={kind} aria-labelledby={`needs-${kind}`}>
            <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
              <h2 id={`needs-${kind}`} className="font-semibold text-ink-2">
                {KIND_NAMES[kind]}
              </h2>
              {kind === 'renewal' ? (
                <Link
                  href="/assets/renewals"
                  prefetch={false}
                  className="rounded-sm text-ink-3 underline-offset-2 hover:text-ink hover:underline print:hidden"
                >
                  All of the next twelve months
                  <LinkHint />
                </Link>
              ) : null}
            </div>
            <Card>
              <ul className="divide-y divide-line">
                {needs.map((need) => (
                  <NeedLine
                    key={need.id}
                    need={need}
                    hasFocus={moved === need.id}
                    onMoved={onMoved}
                    onFocused={() => setMoved(undefined)}
                  />
                ))}
              </ul>
            </Card>
          </section>
        ))}
        <DismissedNeeds needs={away} onMoved={onMoved} />
      </div>
    </>
  )
}
