import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { BadZip, isOverpacked } from '#lib/platform/files/zip.ts'
import { ImportError } from '../import-error.ts'
import type { Source } from './source.ts'

const CHUNK = 256 * 1024

/** Magic numbers of files that are not text, with advice. */
const FOREIGN: [start: number[], reason: string][] = [
  [[0x50, 0x4b, 0x03, 0x04], 'is a ZIP archive where a file should be: unpack it first'],
  [[0x50, 0x41, 0x52, 0x31], 'is a Parquet file: export it as CSV'],
  [[0xff, 0xfe], 'is UTF-16 text: save it as UTF-8'],
  [[0xfe, 0xff], 'is UTF-16 text: save it as UTF-8'],
]

/**
 * Yields the bytes of a source; gzip is unpacked whatever the name.
 * @param onPacked called with each piece as received
 * @throws ImportError that names the source, where it is empty, damaged, missing, or of a kind that is not text
 */
export async function* unpacked(
  { name, open }: Source,
  onPacked?: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const chunks = open()[Symbol.asyncIterator]()
  try {
    let prefix = Buffer.alloc(0)
    const rest = async function* () {
      yield prefix
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
        onPacked?.(next.value)
        yield next.value
      }
    }
    for (let done = false; !done && prefix.length < 4; ) {
      const next = await chunks.next()
      done = next.done === true
      if (next.done) break
      onPacked?.(next.value)
      prefix = Buffer.concat([prefix, next.value])
    }
    if (prefix.length === 0) throw importError(name, 'is empty')
    const foreign = FOREIGN.find(([start]) => start.every((byte, index) => prefix[index] === byte))
    if (foreign) throw importError(name, foreign[1])
    if (prefix[0] !== 0x1f || prefix[1] !== 0x8b) return yield* rest()
    const gunzip = createGunzip({ chunkSize: CHUNK })
    // Its errors come out of the loop over gunzip, too.
    pipeline(Readable.from(rest()), gunzip).catch(() => {})
    let bytes = 0
    for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
      bytes += piece.length
      if (isOverpacked(gunzip.bytesWritten, bytes))
        throw importError(name, 'consists almost only of repetitions')
      yield piece
    }
  } catch (error) {
    throw toImportError(error, name)
  } finally {
    // A reader that stops early leaves no file open.
    await chunks.return?.().catch(() => {})
  }
}

function toImportError(error: unknown, name: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (error instanceof BadZip) return new ImportError([{ reason: `${name}: ${error.message}` }])
  if (code === 'ENOENT') return new ImportError([{ reason: `${name}: there is no such file` }])
  if (code === 'EISDIR') return importError(name, 'is a folder')
  if (code === 'EACCES') return importError(name, 'may not be read')
  if (code.startsWith('Z_')) return importError(name, 'is a damaged gzip file')
  return error
}

function importError(name: string, reason: string): ImportError {
  return new ImportError([{ reason: `${name === '-' ? 'The standard input' : name} ${reason}` }])
}
