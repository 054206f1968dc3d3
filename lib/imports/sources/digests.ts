import { createHash } from 'node:crypto'
import { ImportError } from '../import-error.ts'
import type { Source, SourceFile } from './source.ts'
import { unpacked } from './unpack.ts'

const MEGABYTE = 1024 * 1024

/**
 * Reads each source once for its digest.
 * @param onProgress called with the number of megabytes read
 * @throws ImportError that names two sources with the same content, packed or not: their amounts would count twice
 */
export async function fileRecords(
  sources: readonly Source[],
  onProgress?: (megabytes: number) => void,
  signal?: AbortSignal,
): Promise<SourceFile[]> {
  const names = new Map<string, string>()
  const records: SourceFile[] = []
  let read = 0
  for (const source of sources) {
    const packed = createHash('sha256')
    const content = createHash('sha256')
    let bytes = 0
    const consume = (piece: Uint8Array) => {
      signal?.throwIfAborted()
      packed.update(piece)
      bytes += piece.length
      const before = Math.floor(read / MEGABYTE)
      read += piece.length
      const megabytes = Math.floor(read / MEGABYTE)
      if (megabytes > before) onProgress?.(megabytes)
    }
    for await (const piece of unpacked(source, consume)) content.update(piece)
    const key = content.digest('hex')
    const twin = names.get(key)
    if (twin !== undefined)
      throw new ImportError([
        { reason: `${twin} and ${source.name} have the same content: each would count twice` },
      ])
    names.set(key, source.name)
    records.push({ name: source.name, bytes, sha256: packed.digest('hex') })
  }
  return records
}

/** Wraps a source to record its size and digest while it is read to its end. */
export function recorded({ name, open }: Source): { source: Source; record(): SourceFile } {
  const sha256 = createHash('sha256')
  let bytes = 0
  return {
    source: {
      name,
      async *open() {
        for await (const piece of open()) {
          sha256.update(piece)
          bytes += piece.length
          yield piece
        }
      },
    },
    record: () => ({ name, bytes, sha256: sha256.digest('hex') }),
  }
}
