import { ReviewBox } from '#components/licenses/license-changes/review-box.tsx'
import { Moment } from '#components/platform/values/times.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { countAsListed, type LicenseList, type ListRow, openRows, rowsIn } from './list.ts'
import { stateText } from './messages.ts'

/** Results of a confirmed list, its receipt, and the way to resume open rows. */
export function ListReceipt({
  list,
  isResumable,
  title,
  onContinue,
  onEdit,
  onStartOver,
}: {
  list: LicenseList
  /** The list was restored from storage: an earlier page began it. */
  isResumable: boolean
  title: string
  onContinue: () => void
  onEdit: () => void
  onStartOver: () => void
}) {
  const open = openRows(list).length
  const isFresh = rowsIn(list, 'allowed').length > 0
  const isDone = countAsListed(list) === list.rows.length
  const count = open.toLocaleString('en')
  return (
    <ReviewBox
      title={title}
      actions={
        <>
          {isDone ? null : (
            <Button variant="quiet" onClick={onEdit}>
              {open > 0 ? 'Leave the rest' : 'Edit the list'}
            </Button>
          )}
          <CopyButton variant="plain" text={() => receiptText(list)}>
            Copy receipt
          </CopyButton>
          <Button onClick={() => download(list)}>Download CSV</Button>
          {open > 0 ? (
            <Button variant="primary" onClick={onContinue}>
              {isFresh ? `Continue with ${count}` : `Try ${count} again`}
            </Button>
          ) : (
            <Button onClick={onStartOver}>New list</Button>
          )}
        </>
      }
    >
      {isResumable ? (
        <p>
          This list was confirmed on <Moment at={list.madeAt} /> UTC and left before its end.
        </p>
      ) : null}
      <p>
        {open > 0
          ? `${count} to go. Each is asked with the key that it had, so nothing happens twice.`
          : isDone
            ? 'Each row shows its outcome below and in Activity.'
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

const CSV_HEADER = ['Asset ID', 'Name', 'From', 'To', 'Outcome', 'Reason', 'Time (UTC)']

/** Returns the result of each row as CSV for a file. */
export function receiptCsv(list: LicenseList): string {
  const quoted = (cell: string) => (/[",;\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  const lines = cells(list).map((row) => row.map(quoted).join(','))
  // The byte order mark makes Excel read UTF-8.
  return `\ufeff${lines.join('\r\n')}\r\n`
}

/** Returns the receipt as tab-separated text for the clipboard: spreadsheets paste tabs as columns. */
export function receiptText(list: LicenseList): string {
  return cells(list)
    .map((row) => row.join('\t'))
    .join('\n')
}

function cells(list: LicenseList): string[][] {
  return [CSV_HEADER, ...list.rows.map((row) => rowCells(row, list.confirmed))]
}

function rowCells(row: ListRow, confirmed: boolean): string[] {
  const { assetId, name, quantityState, quantity, reason, at } = row
  const time = at === undefined ? '' : new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  const numbers = [quantityState === undefined ? '' : String(quantityState.purchased), String(quantity)]
  return [text(assetId), text(name), ...numbers, text(stateText(row, confirmed)), text(reason), time]
}

/**
 * Returns one line, safe from CSV injection: text that a spreadsheet would take for a formula gets a leading
 * apostrophe.
 */
function text(value: string): string {
  return value
    .replace(/[\p{Z}\p{C}]+/gu, ' ')
    .trim()
    .replace(/(^|;)([ "]*)(?=[=+\-@＝＋－＠])/gu, "$1$2'")
}
