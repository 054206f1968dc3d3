import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { exportCustomer } from '#lib/identity/customers/export.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { customerNamed } from '../command.ts'
import { progress } from '../progress.ts'
import { interruption, note, print } from '../terminal.ts'
import { openFolder } from './export-folder.ts'
import { byOwner } from './owners-work.ts'

/**
 * Writes everything of a customer into a folder that is made for it. The manifest comes last: without it, the export is not
 * whole. A closed customer counts as exported then.
 */
export async function exportWhole(given: string, { to }: { to: string }): Promise<void> {
  const { customerId, name } = await customerNamed(given)
  const folder = await openFolder(resolve(env().callerDir, to))
  const display = progress('rows written')
  let at = ''
  let rows = 0
  try {
    for await (const piece of exportCustomer(customerId)) {
      interruption.signal.throwIfAborted()
      if (piece.kind === 'moment') at = piece.at
      else if (piece.kind === 'rows') {
        await folder.addLines(`${piece.table}.jsonl`, piece.lines)
        rows += piece.lines.length
        display.update(rows)
      } else await folder.addFile(`files/${fileName(piece)}`, piece.bytes)
    }
    await folder.end({ customer: customerId, name, at })
  } finally {
    display.end()
    await folder.close()
  }
  const isClosed = await byOwner({ alone: [], beside: [customerId] }, async (owner) => {
    const details = { files: folder.count(), rows }
    await owner.tell(customerId, { action: 'customer.exported', subject: customerId, details })
    // What was written after that moment is in no file.
    const closed = await owner.query(
      'UPDATE customers SET exported_at = $2 WHERE id = $1 AND closed_at <= $2 RETURNING id',
      [customerId, at],
    )
    return closed.length > 0
  })
  print(to)
  note(`${name}: ${folder.count()} files with ${rows.toLocaleString('en-US')} rows, of ${at}.`)
  if (isClosed) note('It is closed: its rows are removed when its time is over.')
}

/** As it came, or by its invoice; behind the invoice's id, which another document can't have. */
function fileName({
  invoiceId,
  document,
  name,
}: {
  invoiceId: string
  document: string
  name: string | null
}) {
  const ending = document === 'original-xml' ? 'xml' : 'pdf'
  const plain = (text: string) => shortened(encodeURIComponent(text).replaceAll('*', '%2A'))
  return `${plain(invoiceId)}.${document}${name === null ? '' : `.${plain(name.replace(/\.\w+$/, ''))}`}.${ending}`
}

/** Names of files have an end. Two that begin alike are told apart by a digest. */
function shortened(name: string): string {
  if (name.length <= LONGEST_PART) return name
  return `${name.slice(0, LONGEST_PART - 13)}-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`
}

const LONGEST_PART = 100
