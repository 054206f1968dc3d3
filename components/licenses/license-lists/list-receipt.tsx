import { ReviewBox } from '#components/licenses/license-changes/review-box.tsx'
import { Moment } from '#components/platform/values/moment.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { asListed, type LicenseList, openRows, rowsIn } from './list.ts'
import { receiptCsv, receiptText } from './receipt.ts'

/** What became of a confirmed list, the receipt of it, and the way on where rows are open. */
export function ListReceipt({
  list,
  found,
  title,
  onGoOn,
  onEdit,
  onNew,
}: {
  list: LicenseList
  /** It was found kept: another page had begun it. */
  found: boolean
  title: string
  onGoOn: () => void
  onEdit: () => void
  onNew: () => void
}) {
  const open = openRows(list).length
  const isFresh = rowsIn(list, 'allowed').length > 0
  const isDone = asListed(list) === list.rows.length
  const count = open.toLocaleString('en')
  return (
    <ReviewBox
      title={title}
      actions={
        <>
          {isDone ? null : (
            <Button look="quiet" onClick={onEdit}>
              {open > 0 ? 'Leave the rest' : 'Edit the list'}
            </Button>
          )}
          <CopyButton look="plain" text={() => receiptText(list)}>
            Copy receipt
          </CopyButton>
          <Button onClick={() => download(list)}>Download CSV</Button>
          {open > 0 ? (
            <Button look="primary" onClick={onGoOn}>
              {isFresh ? `Go on with ${count}` : `Try ${count} again`}
            </Button>
          ) : (
            <Button onClick={onNew}>New list</Button>
          )}
        </>
      }
    >
      {found ? (
        <p>
          This list was confirmed on <Moment at={list.madeAt} /> UTC and left before its end.
        </p>
      ) : null}
      <p>
        {open > 0
          ? `${count} to go. Each is asked with the key that it had, so nothing happens twice.`
          : isDone
            ? 'Each row has its outcome below, and in Activity.'
            : 'The others say below why not. Checked again, what is done shows as no change.'}
      </p>
    </ReviewBox>
  )
}

function download(list: LicenseList): void {
  const url = URL.createObjectURL(new Blob([receiptCsv(list)], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `licenses-${new Date(list.madeAt).toISOString().slice(0, 10)}.csv`
  link.click()
  URL.revokeObjectURL(url)
}
