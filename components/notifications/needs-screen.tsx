'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useState } from 'react'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { LinkSpinner } from '#components/ui/link-spinner.tsx'
import { listNeeds } from '#lib/notifications/client.ts'
import type { Need } from '#lib/notifications/needs/contract.ts'
import { describeNeed, KIND_NAMES, LOOKED_AT } from '#lib/notifications/needs/messages.ts'
import type { NeedKind } from '#lib/notifications/needs/rules.ts'
import { NeedLine } from './need-line.tsx'
import { useDismissal } from './use-dismissal.ts'

/** Lines dismissed in this visit stay where they are, so that they can be restored immediately. */
type NeedIds = ReadonlySet<string>

/** Lines that need the caller, by kind. The page has put the answer into the query cache. */
export function NeedsScreen() {
  const { data, error, refetch } = useQuery({
    queryKey: listNeeds.key({}),
    queryFn: ({ signal }) => listNeeds({}, signal),
  })
  const [dismissedHere, setDismissedHere] = useState<NeedIds>(new Set())
  /** Id of the line whose button takes the focus after a change. */
  const [moved, setMoved] = useState<string>()
  if (!data) return null
  const onDismissalChange = ({ id, isDismissed }: Need) => {
    setDismissedHere(
      (before) => new Set(isDismissed ? [...before, id] : [...before].filter((one) => one !== id)),
    )
    setMoved(id)
  }
  const visibleNeeds = data.needs.filter(({ id, isDismissed }) => !isDismissed || dismissedHere.has(id))
  const away = data.needs.filter(({ id, isDismissed }) => isDismissed && !dismissedHere.has(id))
  return (
    <>
      {error ? <RefreshFailed label="needs" error={error} onRetry={() => refetch()} /> : null}
      {visibleNeeds.length === 0 ? <NothingNeeded looked={data.looked} /> : null}
      <div className="grid gap-6">
        {[...Map.groupBy(visibleNeeds, ({ kind }) => kind)].map(([kind, needs]) => (
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
                  View all renewals
                  <LinkSpinner />
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
                    onDismissalChange={onDismissalChange}
                    onFocused={() => setMoved(undefined)}
                  />
                ))}
              </ul>
            </Card>
          </section>
        ))}
        <DismissedNeeds needs={away} onDismissalChange={onDismissalChange} />
      </div>
    </>
  )
}

/** Dismissed lines that have not changed since. Renders nothing where there are none. */
function DismissedNeeds({
  needs,
  onDismissalChange,
}: {
  needs: readonly Need[]
  onDismissalChange: (need: Need) => void
}) {
  const { restore, isPending } = useDismissal(onDismissalChange)
  if (needs.length === 0) return null
  return (
    <details className="print:hidden">
      <summary className="w-fit cursor-pointer rounded-sm text-sm text-ink-3 hover:text-ink max-md:py-2">
        Dismissed until they change: {needs.length.toLocaleString('en')}
      </summary>
      <Card className="mt-2">
        <ul aria-label="Dismissed" className="divide-y divide-line">
          {needs.map((need) => {
            const { title, headline } = describeNeed(need)
            return (
              <li
                key={need.id}
                className="flex flex-wrap items-center justify-between gap-x-5 gap-y-1 px-4 py-2 text-sm"
              >
                <span className="min-w-0 wrap-anywhere text-ink-2 tabular-nums">
                  {escapeInvisible(title)} · {headline}
                </span>
                <Button
                  variant="quiet"
                  pending={isPending}
                  aria-label={`Bring back: ${title}`}
                  onClick={() => restore(need)}
                >
                  Bring back
                </Button>
              </li>
            )
          })}
        </ul>
      </Card>
    </details>
  )
}

/** States that nothing needs attention, and which kinds were checked. */
function NothingNeeded({ looked }: { looked: readonly NeedKind[] }) {
  return (
    <Card className="mb-6">
      <EmptyState title="Nothing needs attention">
        <p>We checked:</p>
        <ul className="mt-1.5">
          {looked.map((kind) => (
            <li key={kind}>{LOOKED_AT[kind]}</li>
          ))}
        </ul>
      </EmptyState>
    </Card>
  )
}
