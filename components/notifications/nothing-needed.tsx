import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import type { NeedKind } from '#lib/notifications/needs/rules.ts'
import { LOOKED_AT } from '#lib/notifications/needs/words.ts'

/** That there is nothing to see to, and what was looked at to say so. */
export function NothingNeeded({ looked }: { looked: readonly NeedKind[] }) {
  return (
    <Card className="mb-6">
      <EmptyState title="Nothing needs you">
        <p>This was looked at:</p>
        <ul className="mt-1.5">
          {looked.map((kind) => (
            <li key={kind}>{LOOKED_AT[kind]}</li>
          ))}
        </ul>
      </EmptyState>
    </Card>
  )
}
