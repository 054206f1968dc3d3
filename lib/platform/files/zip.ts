import 'server-only'
import { Readable, Transform } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, type ZipFile as OpenZipFile, openPromise } from 'yauzl'
import { ZipFile } from 'yazl'

/** A file of an archive, made when its turn comes. */
export type ZipEntry = {
  name: string
  /** The day that it is of, `YYYY-MM-DD`. */
  day: string
  read(): Promise<Uint8Array>
}

/**
 * An archive of these files, sent while they are made: one at a time is held, and none is made before the one
 * before has left. The same files give the same bytes, in whatever zone they are made. Names have to be unique.
 */
export async function* zip(entries: readonly ZipEntry[]): AsyncGenerator<Uint8Array, void, undefined> {
  const archive = new ZipFile()
  const out = archive.outputStream as Readable
  // What a file throws is thrown here, and whoever sends breaks off.
  archive.on('error', (error) => out.destroy(error as Error))
  for (const { name, day, read } of entries) {
    archive.addReadStreamLazy(
      name,
      { mtime: noonOf(day), forceDosTimestamp: true, mode: 0o100644 },
      (callback) => {
        if (out.destroyed) return
        const give = callback as (error: unknown, stream: Readable) => void
        read().then(
          (bytes) => give(null, Readable.from([bytes])),
          (error: unknown) => give(error, Readable.from([])),
        )
      },
    )
  }
  archive.end()
  yield* out
}

/** A ZIP writes down what the clock on the wall says: here, whatever wall that is, noon. */
function noonOf(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date, 12)
}

/** Tells names apart that a file system may take for the same: the second `a.pdf` is `a (2).pdf`. */
export function uniqueNames(names: readonly string[], extension: string): string[] {
  const usedNames = new Set<string>()
  const key = (name: string) => name.normalize('NFKC').toLowerCase()
  return names.map((name) => {
    let unique = name
    for (let count = 2; usedNames.has(key(unique)); count++) unique = `${name} (${count})`
    usedNames.add(key(unique))
    return `${unique}.${extension}`
  })
}

/** A file in an archive. */
export type ZippedFile = {
  /** As the archive has it, with its folders: `2026/09/IN-1.pdf`. A label, not a place to write to. */
  name: string
  /** Unpacked, as the archive says it; a stream that would give more breaks off. */
  bytes: number
  /**
   * The unpacked bytes from the start, as often as it is called. What is not as long as it says, or not what its check
   * sum says, makes the stream fail with a `BadZip`.
   */
  read(): Promise<Readable>
}

/** What one archive may come to when it is unpacked. */
export type ZipBounds = { files: number; bytes: number }

/** What is wrong with an archive, as a sentence for whoever gave it. */
export class BadZip extends Error {}

/** Whether a file that begins like this is an archive. Four bytes are enough. */
export function isZip(start: Uint8Array): boolean {
  const [p, k, ...kind] = start.subarray(0, 4)
  return p === 0x50 && k === 0x4b && ['3,4', '5,6'].includes(kind.join())
}

/**
 * Opens an archive, hands its files over in its order, and closes it when `use` is done, however that ends. Nothing is
 * written to disk; each file is unpacked while it is read, so that memory doesn't grow with it. Folders, and what
 * computers add by themselves (hidden files, `__MACOSX`), are left out.
 * @throws BadZip where it is no archive, is damaged or encrypted, or where its directory promises more than the
 *   bounds, before `use` is called; and whatever `use` throws
 */
export async function withZip<T>(
  path: string,
  bounds: ZipBounds,
  use: (files: ZippedFile[]) => Promise<T>,
): Promise<T> {
  const archive = await openPromise(path, { autoClose: false }).catch(bad)
  // The same errors reach whoever reads; without a listener they would end the process.
  archive.on('error', () => {})
  try {
    return await use(await listFiles(archive, bounds))
  } finally {
    archive.close()
  }
}

async function listFiles(archive: OpenZipFile, bounds: ZipBounds): Promise<ZippedFile[]> {
  if (archive.entryCount > bounds.files) throw tooMany(bounds)
  const files: ZippedFile[] = []
  let size = 0
  const entries = archive.eachEntry()
  for (;;) {
    const { value: entry, done } = await entries.next().catch(bad)
    if (done) return files
    if (isLeftover(entry.fileName)) continue
    if (!entry.canDecodeFileData())
      throw new BadZip(
        entry.isEncrypted()
          ? `${entry.fileName} is encrypted. Unpack the archive first.`
          : `${entry.fileName} is packed in a way that is not known here. Pack it as a usual ZIP file.`,
      )
    size += entry.uncompressedSize
    if (size > bounds.bytes) throw tooMuch(bounds)
    files.push({
      name: entry.fileName,
      bytes: entry.uncompressedSize,
      read: () => readEntry(archive, entry),
    })
  }
}

async function readEntry(archive: OpenZipFile, entry: Entry): Promise<Readable> {
  const unpacked = await archive.openReadStreamPromise(entry).catch(bad)
  let sum = 0
  const checked = new Transform({
    transform(chunk: Buffer, _, done) {
      sum = crc32(chunk, sum)
      done(null, chunk)
    },
    flush(done) {
      done(
        sum === entry.crc32 ? null : new BadZip(`${entry.fileName} is damaged: its check sum does not fit.`),
      )
    },
  })
  unpacked.on('error', (error) => checked.destroy(zipError(error, entry.fileName)))
  checked.on('close', () => unpacked.destroy())
  return unpacked.pipe(checked)
}

function isLeftover(name: string): boolean {
  return name.endsWith('/') || name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')
}

function tooMany({ files }: ZipBounds): BadZip {
  return new BadZip(`The archive has more than ${files.toLocaleString('en')} files.`)
}

function tooMuch({ bytes }: ZipBounds): BadZip {
  return new BadZip(`The archive has more than ${bytes.toLocaleString('en')} bytes when it is unpacked.`)
}

function zipError(error: Error, subject = 'The file'): BadZip {
  return new BadZip(`${subject} is no whole ZIP file: ${error.message}.`, { cause: error })
}

function bad(error: unknown): never {
  // What the operating system says, such as that there is no file, is no fault of the archive.
  if (error instanceof Error && !('code' in error)) throw zipError(error)
  throw error
}
