import type { LicenseList, ListRow } from './list.ts'
import { stateText } from './words.ts'

const HEAD = ['Asset ID', 'Name', 'From', 'To', 'Outcome', 'Reason', 'Time (UTC)']

/** What became of each row: as CSV for a file. */
export function receiptCsv(list: LicenseList): string {
  const quoted = (cell: string) => (/[",;\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  const lines = cells(list).map((row) => row.map(quoted).join(','))
  // With the mark Excel knows that it is UTF-8.
  return `\ufeff${lines.join('\r\n')}\r\n`
}

/** The same for the clipboard: spreadsheets take tabs for columns. */
export function receiptText(list: LicenseList): string {
  return cells(list)
    .map((row) => row.join('\t'))
    .join('\n')
}

function cells(list: LicenseList): string[][] {
  return [HEAD, ...list.rows.map((row) => rowCells(row, list.confirmed))]
}

function rowCells(row: ListRow, confirmed: boolean): string[] {
  const { assetId, name, facts, quantity, reason, at } = row
  const time = at === undefined ? '' : new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  const numbers = [facts === undefined ? '' : String(facts.purchased), String(quantity)]
  return [text(assetId), text(name), ...numbers, text(stateText(row, confirmed)), text(reason), time]
}

/** One line, and no formula: an apostrophe goes before what a spreadsheet would take for one. */
function text(value: string): string {
  return value
    .replace(/[\p{Z}\p{C}]+/gu, ' ')
    .trim()
    .replace(/(^|;)([ "]*)(?=[=+\-@＝＋－＠])/gu, "$1$2'")
}
