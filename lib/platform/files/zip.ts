import 'server-only'
import { Readable } from 'node:stream'
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
      (given) => {
        if (out.destroyed) return
        const give = given as (error: unknown, stream: Readable) => void
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
  const taken = new Set<string>()
  const key = (name: string) => name.normalize('NFKC').toLowerCase()
  return names.map((name) => {
    let unique = name
    for (let count = 2; taken.has(key(unique)); count++) unique = `${name} (${count})`
    taken.add(key(unique))
    return `${unique}.${extension}`
  })
}
