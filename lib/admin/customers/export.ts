import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { exportCustomer } from '#lib/identity/customers/export.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { customerNamed } from '../command.ts'
import { interruption, note, print, progress } from '../terminal.ts'
import { byOwner } from './owners-work.ts'

/**
 * Exports all data of a customer into a new folder. Writes the manifest last: without it, the export is incomplete. A
 * closed customer then counts as exported.
 */
export async function exportWhole(idOrDomain: string, { to }: { to: string }): Promise<void> {
  const { customerId, name } = await customerNamed(idOrDomain)
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
  const isClosed = await byOwner({ alone: [], related: [customerId] }, async (owner) => {
    const details = { files: folder.count(), rows }
    await owner.addEvent(customerId, { action: 'customer.exported', subject: customerId, details })
    // Rows written after that moment are not exported.
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

/** Returns a document's original name, or one by its invoice; prefixed with the unique invoice id. */
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

/** Shortens a file name to the limit. A digest distinguishes names with a common beginning. */
function shortened(name: string): string {
  if (name.length <= MAX_PART_LENGTH) return name
  return `${name.slice(0, MAX_PART_LENGTH - 13)}-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`
}

const MAX_PART_LENGTH = 100

type Open = { handle: FileHandle; hash: Hash; bytes: number; rows: number }

/** Export folder: sequential files of lines, and documents. */
export type ExportFolder = {
  addLines(name: string, lines: readonly string[]): Promise<void>
  addFile(name: string, bytes: Uint8Array): Promise<void>
  /** Returns the number of files. */
  count(): number
  /** Writes the manifest: name, bytes, rows and SHA-256 of each file. */
  end(fields: Record<string, string>): Promise<void>
  close(): Promise<void>
}

/** Modes that keep other users of the machine out. */
const OURS = { folder: 0o700, file: 0o600 }

/** @throws Problem where the path exists or is not writable */
async function openFolder(path: string): Promise<ExportFolder> {
  await mkdir(dirname(path), { mode: OURS.folder, recursive: true })
  await mkdir(path, { mode: OURS.folder }).catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EEXIST'
        ? 'is there already: an export makes its folder'
        : `cannot be made (${error.code})`
    throw new Problem('invalid_request', `${path} ${reason}.`)
  })
  const files: { name: string; bytes: number; rows?: number; sha256: string }[] = []
  let current: { name: string; file: Open } | undefined
  const finish = async () => {
    if (!current) return
    const { name, file } = current
    current = undefined
    await file.handle.sync()
    await file.handle.close()
    files.push({ name, bytes: file.bytes, rows: file.rows, sha256: file.hash.digest('hex') })
  }
  const fileOf = async (name: string): Promise<Open> => {
    if (current?.name === name) return current.file
    await finish()
    const handle = await open(join(path, name), 'wx', OURS.file)
    current = { name, file: { handle, hash: createHash('sha256'), bytes: 0, rows: 0 } }
    return current.file
  }
  return {
    async addLines(name, lines) {
      const file = await fileOf(name)
      const text = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      file.hash.update(text)
      file.bytes += text.length
      file.rows += lines.length
      await file.handle.appendFile(text)
    },
    async addFile(name, bytes) {
      await mkdir(join(path, dirname(name)), { mode: OURS.folder, recursive: true })
      const handle = await open(join(path, name), 'wx', OURS.file)
      try {
        await handle.writeFile(bytes)
        await handle.sync()
      } finally {
        await handle.close()
      }
      files.push({ name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
    },
    count: () => files.length + (current ? 1 : 0),
    async end(fields) {
      await finish()
      const handle = await open(join(path, 'manifest.json'), 'wx', OURS.file)
      try {
        await handle.writeFile(`${JSON.stringify({ ...fields, files }, null, 2)}\n`)
        await handle.sync()
      } finally {
        await handle.close()
      }
    },
    close: async () => void (await current?.file.handle.close()),
  }
}
