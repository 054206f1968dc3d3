'use client'

import { licensesText } from '#components/licenses/assets/labels.ts'
import { agoText } from '#components/platform/values/times.tsx'
import { whoText } from '#components/platform/values/who.ts'
import { Button } from '#components/ui/button.tsx'
import { RequestId } from '#components/ui/request-id.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { newsText, totalToSetAgain, whatToDoText } from './last-change.ts'
import { PendingStatus } from './pending-status.tsx'
import { ReviewBox } from './review-box.tsx'
import type { LicenseEdit } from './use-license-edit.ts'

type ChangeNoteProps = { item: AssetListItem; edit: LicenseEdit }

/**
 * Note on an asset's page about its open change, or about a last change that failed or is unclear: its state, the
 * possible actions, and the change id to quote to support.
 */
export function ChangeNote({ item, edit }: ChangeNoteProps) {
  if (edit.openChange) return <OpenNote item={item} edit={edit} open={edit.openChange} />
  const { lastChange, vendor, quantity = 0 } = item
  if (!lastChange || !['FAILED', 'UNCLEAR'].includes(lastChange.state)) return null
  const again = totalToSetAgain(lastChange, quantity)
  if (edit.isPending || (lastChange.state === 'FAILED' && again === undefined)) return null
  const { state, vendorReason = '', settleTime } = lastChange
  return (
    <div className="mb-4">
      <ReviewBox
        title={
          <span>
            {newsText(lastChange, vendor?.label ?? 'the vendor')}
            <span suppressHydrationWarning className="font-normal text-ink-3">
              , {agoText(settleTime, Date.now())}
            </span>
          </span>
        }
        actions={
          again === undefined ? null : (
            <Button
              disabled={edit.open || edit.waitUntil !== undefined}
              onClick={() => edit.setQuantity(again)}
            >
              Set to {again.toLocaleString('en')} again
            </Button>
          )
        }
      >
        {state === 'UNCLEAR' ? (
          <>
            {whatToDoText(vendorReason)} When you have, say so{' '}
            <a href="#history" className="rounded-sm text-ink-2 underline underline-offset-2 hover:text-ink">
              in the history
            </a>
            .
          </>
        ) : (
          vendorReason
        )}
        <QuotedId id={lastChange.id} />
      </ReviewBox>
    </div>
  )
}

function OpenNote({
  item,
  edit,
  open,
}: ChangeNoteProps & { open: NonNullable<ChangeNoteProps['edit']['openChange']> }) {
  const { id, to, actor, knownBy, repeatable } = open
  const label = item.vendor?.label ?? 'The vendor'
  return (
    <div className="mb-4">
      <ReviewBox
        title={`${licensesText(to)} asked for${actor.name ? ` by ${whoText(actor)}` : ''}`}
        actions={
          repeatable ? (
            <Button onClick={(event) => event.detail > 1 || edit.repeat(open)}>
              Ask for {to.toLocaleString('en')} again
            </Button>
          ) : null
        }
      >
        <PendingStatus label={label} knownBy={knownBy} />{' '}
        {repeatable
          ? 'Wait, or ask again: that counts as the same request, and changes nothing twice.'
          : 'There is nothing that you have to do meanwhile.'}
        <QuotedId id={id} />
      </ReviewBox>
    </div>
  )
}

function QuotedId({ id }: { id: string }) {
  return (
    <span className="mt-1 block">
      <RequestId label="If you ask for help, quote change" id={id} />
    </span>
  )
}
