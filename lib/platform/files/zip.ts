import 'server-only'
import { Readable, Transform } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, type ZipFile as OpenZipFile, openPromise } from 'yauzl'
import { ZipFile } from 'yazl'

/** File of an archive, made when its turn comes. */
export type ZipEntry = {
  name: string
  /** Date of the file, `YYYY-MM-DD`. */
  day: string
  read(): Promise<Uint8Array>
}

/**
 * Streams an archive of these files while they are made: holds one at a time, and makes none before the previous one
 * has been sent. The same files result in the same bytes, in any time zone. Names have to be unique.
 */
export async function* zip(entries: readonly ZipEntry[]): AsyncGenerator<Uint8Array, void, undefined> {
  const archive = new ZipFile()
  const out = archive.outputStream as Readable
  // An error of a file is thrown here, and the sender breaks the connection off.
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

/** Returns noon of a day in local time, since a ZIP stores local time without a zone. */
function noonOf(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date, 12)
}

/** Makes names unique that a file system may confuse: the second `a.pdf` becomes `a (2).pdf`. */
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

/** File in an archive. */
export type ZippedFile = {
  /** Name in the archive with its folders: `2026/09/IN-1.pdf`. A label, never a path to write to. */
  name: string
  /** Unpacked size as declared; a stream that exceeds it breaks off (zip bomb). */
  bytes: number
  /**
   * Returns the unpacked bytes from the start, at each call. The stream fails with a `BadZip` where length or checksum
   * differ from the declared ones.
   */
  read(): Promise<Readable>
}

/** Upper bounds of an unpacked archive. */
export type ZipBounds = { files: number; bytes: number }

/** Unpacked bytes from which the compression ratio is limited. */
const MIN_OVERPACKED_BYTES = 64 * 1024 * 1024
/** Largest compression ratio: exports have 10 to 60, and 1,000 is possible for repetitions, such as blanks. */
const MAX_RATIO = 300

/**
 * Returns whether data was compressed more than any real export is (decompression bomb), so that reading a small
 * archive would take hours.
 */
export function isOverpacked(packedBytes: number, bytes: number): boolean {
  return bytes > MIN_OVERPACKED_BYTES && bytes > packedBytes * MAX_RATIO
}

/** Error of an archive, as a sentence for its sender. */
export class BadZip extends Error {}

/** Returns whether a file with these first four bytes is an archive. */
export function isZip(start: Uint8Array): boolean {
  const [p, k, ...kind] = start.subarray(0, 4)
  return p === 0x50 && k === 0x4b && ['3,4', '5,6'].includes(kind.join())
}

/**
 * Opens an archive, passes its files to `use` in order, and closes it when `use` has finished or thrown. Writes nothing
 * to disk; each file is unpacked while it is read, in constant memory. Skips folders and files that operating systems
 * add (hidden files, `__MACOSX`).
 * @throws BadZip before `use` is called if the file is not an archive, is damaged or encrypted, or its directory
 * declares more than the bounds; and any error of `use`
 */
export async function withZip<T>(
  path: string,
  bounds: ZipBounds,
  use: (files: ZippedFile[]) => Promise<T>,
): Promise<T> {
  const archive = await openPromise(path, { autoClose: false }).catch(bad)
  // The reader gets the same errors; without a listener they would end the process.
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
    if (isOverpacked(entry.compressedSize, entry.uncompressedSize))
      throw new BadZip(`${entry.fileName} consists almost only of repetitions.`)
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
  // Errors of the operating system, such as a missing file, are not errors of the archive.
  if (error instanceof Error && !('code' in error)) throw zipError(error)
  throw error
}
