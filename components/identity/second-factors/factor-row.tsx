import { Moment } from '#components/platform/values/moment.tsx'
import { Button } from '#components/ui/button.tsx'
import { visible } from '#components/ui/visible.ts'
import type { SecondFactor } from '#lib/identity/second-factors/contract.ts'

/** What a member calls a factor. */
export function nameOf({ name }: Pick<SecondFactor, 'name'>): string {
  return visible(name)
}

/**
 * A factor, since when there is one, and when it was used last.
 * @param isBeside whether there is one that counts at other customers too: then it says where it does not
 */
export function FactorRow({
  factor,
  isBeside,
  onRemove,
}: {
  factor: SecondFactor
  isBeside: boolean
  onRemove: () => void
}) {
  const { kind, createTime, lastUseTime, isEverywhere } = factor
  return (
    <li className="flex items-center justify-between gap-3 py-3">
      <div className="min-w-0">
        <p className="font-[550] wrap-anywhere">{nameOf(factor)}</p>
        <p className="text-sm text-ink-3">
          {kind === 'totp' ? 'App' : 'Passkey'}, since <Moment at={createTime} /> UTC
          {lastUseTime === undefined ? null : (
            <>
              , last used <Moment at={lastUseTime} /> UTC
            </>
          )}
          {isEverywhere || !isBeside ? null : '. It counts at this customer alone'}
        </p>
      </div>
      <Button onClick={onRemove} aria-label={`Remove ${nameOf(factor)}`}>
        Remove
      </Button>
    </li>
  )
}
