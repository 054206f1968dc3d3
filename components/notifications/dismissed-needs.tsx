'use client'

import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { visible } from '#components/ui/visible.ts'
import type { Need } from '#lib/notifications/needs/contract.ts'
import { wordsOf } from '#lib/notifications/needs/words.ts'
import { useDismissal } from './use-dismissal.ts'

/** What was put aside and still is as it was then. Nothing where there is none. */
export function DismissedNeeds({
  needs,
  onMoved,
}: {
  needs: readonly Need[]
  onMoved: (need: Need) => void
}) {
  const { restore, isPending } = useDismissal(onMoved)
  if (needs.length === 0) return null
  return (
    <details className="print:hidden">
      <summary className="w-fit cursor-pointer rounded-sm text-sm text-ink-3 hover:text-ink max-md:py-2">
        Dismissed until they change: {needs.length.toLocaleString('en')}
      </summary>
      <Card className="mt-2">
        <ul aria-label="Dismissed" className="divide-y divide-line">
          {needs.map((need) => {
            const { title, figure } = wordsOf(need)
            return (
              <li
                key={need.id}
                className="flex flex-wrap items-center justify-between gap-x-5 gap-y-1 px-4 py-2 text-sm"
              >
                <span className="min-w-0 wrap-anywhere text-ink-2 tabular-nums">
                  {visible(title)} · {figure}
                </span>
                <Button
                  look="quiet"
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
