import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Problem } from '#lib/platform/api/problem.ts'

type Open = { handle: FileHandle; hash: Hash; bytes: number; rows: number }

/** A folder that is written whole: files of lines, which come one after the other, and documents. */
export type ExportFolder = {
  addLines(name: string, lines: readonly string[]): Promise<void>
  addFile(name: string, bytes: Uint8Array): Promise<void>
  /** How many files are there. */
  count(): number
  /** Writes the manifest: name, bytes, rows and SHA-256 of each file. */
  end(of: Record<string, string>): Promise<void>
  close(): Promise<void>
}

/** Nobody else on this machine reads it. */
const OURS = { folder: 0o700, file: 0o600 }

/** @throws Problem where there is something already, or nothing can be written */
export async function openFolder(path: string): Promise<ExportFolder> {
  await mkdir(path, { mode: OURS.folder }).catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EEXIST'
        ? 'is there already: an export makes its folder'
        : `can not be made (${error.code})`
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
    async end(of) {
      await finish()
      const handle = await open(join(path, 'manifest.json'), 'wx', OURS.file)
      try {
        await handle.writeFile(`${JSON.stringify({ ...of, files }, null, 2)}\n`)
        await handle.sync()
      } finally {
        await handle.close()
      }
    },
    close: async () => void (await current?.file.handle.close()),
  }
}
