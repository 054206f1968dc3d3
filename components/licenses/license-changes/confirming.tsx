import type { OpenChange } from '#components/licenses/assets/one-asset.ts'
import { whoText } from '#components/platform/values/who.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Spinner } from '#components/ui/spinner.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { licensesText } from '../assets/labels.ts'
import { CopyId } from './copy-id.tsx'
import { PendingStatus } from './pending-status.tsx'
import type { LicenseEdit } from './use-license-edit.ts'

/**
 * Note under a disabled control: a change that the vendor has not confirmed yet, by when its outcome is known, and the
 * possible actions.
 */
export function Confirming({
  id,
  item,
  from,
  openChange,
  edit,
  isStated,
}: {
  id: string
  item: AssetListItem
  from: number
  openChange: OpenChange
  edit: LicenseEdit
  /** Whether the page shows all other information elsewhere. */
  isStated: boolean
}) {
  const { to, actor } = openChange
  return (
    <div className="mt-1 text-xs tabular-nums max-md:max-w-36 max-md:text-left">
      {/* Receives the focus that the control has lost. */}
      <p id={id} ref={edit.statusNote} role="status" tabIndex={-1} className="rounded-sm">
        <span className="inline-flex items-center gap-1.5 max-md:items-start">
          <Spinner />
          Confirming with the vendor…
        </span>{' '}
        <span className="block wrap-anywhere text-ink-3">
          <span className="whitespace-nowrap">
            {from.toLocaleString('en')} → {to.toLocaleString('en')}
          </span>
          {actor.name ? `, ${whoText(actor)}` : ''}
        </span>
      </p>
      {isStated ? null : <Prospect item={item} openChange={openChange} edit={edit} />}
    </div>
  )
}

/** By when the outcome is known, and the possible actions. */
function Prospect({
  item,
  openChange,
  edit,
}: {
  item: AssetListItem
  openChange: OpenChange
  edit: LicenseEdit
}) {
  const { id, to, knownBy, repeatable } = openChange
  return (
    <>
      <p className="text-ink-3">
        <PendingStatus label={item.vendor?.label ?? 'The vendor'} knownBy={knownBy} />
      </p>
      <span className="inline-flex flex-wrap gap-x-3 md:justify-end">
        {repeatable ? (
          <button
            type="button"
            onClick={(event) => event.detail > 1 || edit.repeat(openChange)}
            className="rounded-sm font-medium text-ink-2 underline underline-offset-2 hover:text-ink max-md:py-1.5"
          >
            Ask again
            <span className="sr-only">
              {' '}
              for {licensesText(to)}: {escapeInvisible(item.assetName)}
            </span>
          </button>
        ) : null}
        <CopyId id={id} />
      </span>
    </>
  )
}
