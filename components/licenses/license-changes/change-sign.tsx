import { CircleAlert, CircleHelp, History } from 'lucide-react'
import Link from 'next/link'
import { assetHref } from '#components/licenses/assets/one-asset.ts'
import { agoText } from '#components/platform/values/times.tsx'
import { LinkSpinner } from '#components/ui/link-spinner.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { newsText, totalToSetAgain } from './last-change.ts'

const SIGNS: Record<string, { icon: typeof History; tone: string }> = {
  DRIFT: { icon: History, tone: 'text-info' },
  FAILED: { icon: CircleAlert, tone: 'text-danger' },
  UNCLEAR: { icon: CircleHelp, tone: 'text-warn' },
}

/**
 * Note in an asset's row about its last change: a link to the history, and a button to set a total again that was not
 * applied. `search` is the list's query string; without `onSet` no total can be requested now.
 */
export function ChangeSign({
  item,
  search,
  onSet,
}: {
  item: AssetListItem
  search: string
  onSet: ((quantity: number) => void) | undefined
}) {
  const { lastChange, vendor, quantity = 0 } = item
  const text = lastChange && newsText(lastChange, vendor?.label ?? 'the vendor')
  if (!lastChange || text === undefined) return null
  const { icon: Icon, tone } = SIGNS[lastChange.state] ?? { icon: History, tone: 'text-ink-2' }
  const again = totalToSetAgain(lastChange, quantity)
  return (
    <span className="relative z-1 mt-1 flex w-fit items-start gap-1.5 text-xs tabular-nums">
      <Icon aria-hidden="true" className={`mt-0.5 size-3 shrink-0 ${tone}`} />
      <span className="min-w-0">
        <Link
          href={`${assetHref(item.id, search)}#history`}
          prefetch={false}
          className={`rounded-sm underline-offset-2 hover:underline ${tone}`}
        >
          {stepTogether(text)}
          {/* The elapsed minutes may differ between server and browser. */}
          <span className="text-ink-3">
            ,{' '}
            <span suppressHydrationWarning className="whitespace-nowrap">
              {agoText(lastChange.settleTime, Date.now())}
            </span>
          </span>
          <LinkSpinner />
        </Link>
        {again !== undefined && onSet ? (
          <>
            {' '}
            <button
              type="button"
              onClick={() => onSet(again)}
              className="rounded-sm font-medium text-ink-2 underline underline-offset-2 hover:text-ink max-md:py-1.5"
            >
              Set to {again.toLocaleString('en')} again
              <span className="sr-only">: {item.assetName}</span>
            </button>
          </>
        ) : null}
      </span>
    </span>
  )
}

/** Returns the text with its step on one line, unless the numbers are too long. */
function stepTogether(text: string): string {
  return text.replace(/\S+ → \S+/, (step) => (step.length > 15 ? step : step.replaceAll(' ', '\u00a0')))
}
