import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'

const CHUNK = 64 * 1024
/** Lines that are buffered before a write. */
const PORTION = 1000

type Keyed<Item> = [key: string, item: Item]

/** Returns a private temporary folder (0700) for data beyond memory; created at the first use. */
export function aside() {
  let folder: string | undefined
  return {
    path(name: string): string {
      folder ??= mkdtempSync(join(tmpdir(), 'import-'))
      return join(folder, name)
    },
    close(): void {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Items by their keys, put away in sorted runs, in a temporary folder until `close`. */
export type Runs<Item> = {
  put(items: Iterable<Keyed<Item>>): void
  isEmpty(): boolean
  /** Yields all items in key order; of equal keys, the first that was put first. */
  sorted(): Generator<Keyed<Item>>
  close(): void
}

/** Returns sorted runs for an external merge sort. @param read restores an item from its JSON */
export function sortedRuns<Item>(read: (written: never) => Item): Runs<Item> {
  const folder = aside()
  const files: string[] = []
  return {
    put(items) {
      const file = folder.path(String(files.length))
      const writer = lineWriter(file)
      for (const item of [...items].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) writer.write(item)
      writer.end()
      files.push(file)
    },
    isEmpty: () => files.length === 0,
    *sorted() {
      const runs = files.map((file) => readLines<Keyed<never>>(file))
      try {
        const nextItems = runs.map((run) => run.next().value)
        for (let at = leastOf(nextItems); at !== -1; at = leastOf(nextItems)) {
          const item = nextItems[at]
          if (item) yield [item[0], read(item[1])]
          nextItems[at] = runs[at]?.next().value
        }
      } finally {
        for (const run of runs) run.return(undefined)
      }
    },
    close: folder.close,
  }
}

function leastOf(nextItems: readonly (Keyed<never> | undefined)[]): number {
  let least = -1
  for (const [at, item] of nextItems.entries())
    if (item && (least === -1 || item[0] < (nextItems[least]?.[0] ?? ''))) least = at
  return least
}

/** Returns a writer of JSON lines to a new file. */
export function lineWriter(file: string) {
  const descriptor = openSync(file, 'wx', 0o600)
  let lines: string[] = []
  const flush = () => {
    writeFileSync(descriptor, lines.join(''))
    lines = []
  }
  return {
    write(item: unknown): void {
      lines.push(`${JSON.stringify(item)}\n`)
      if (lines.length === PORTION) flush()
    },
    end(): void {
      flush()
      closeSync(descriptor)
    },
  }
}

/** Reads it again, line by line. */
export function* readLines<Item>(file: string): Generator<Item, undefined> {
  const descriptor = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK)
    const decoder = new StringDecoder('utf8')
    let rest = ''
    for (let size = readSync(descriptor, chunk); size > 0; size = readSync(descriptor, chunk)) {
      const lines = (rest + decoder.write(chunk.subarray(0, size))).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
    }
  } finally {
    closeSync(descriptor)
  }
}
