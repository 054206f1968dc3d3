import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Source } from './source.ts'

/** What can be read only once, such as a pipe, in a temporary folder of this user's alone until `close`. */
export type Spool = {
  /** The same source, to be opened as often as one likes. */
  put(source: Source): Promise<Source>
  close(): void
}

/** @param signal stops it, also while it waits for somebody's pipe */
export function setAside(signal?: AbortSignal): Spool {
  let folder: string | undefined
  let count = 0
  return {
    async put({ name, open }) {
      folder ??= mkdtempSync(join(tmpdir(), 'import-'))
      const file = join(folder, String(count++))
      await pipeline(
        Readable.from(open()),
        createWriteStream(file, { mode: 0o600 }),
        signal ? { signal } : {},
      )
      return { name, open: () => createReadStream(file, { highWaterMark: 256 * 1024 }) }
    },
    close() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
