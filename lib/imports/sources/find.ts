import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BadZip, isZip, withZip, type ZippedFile } from '#lib/platform/files/zip.ts'
import { ImportError } from '../import-error.ts'
import { fileSource } from './read-text.ts'
import type { Source } from './source.ts'

/** Names of importable files in a folder or an archive. */
const ENDING = /\.(csv|json|ndjson|gz)$/i
const ARCHIVE = /\.zip$/i
/** Far above any export; unpacked while streaming, so that neither memory nor disk grows with the size. */
const ZIP_BOUNDS = { files: 10_000, bytes: 2 ** 37 }

/** Found sources, and the skipped names in folders and archives. */
export type SourceList = { sources: Source[]; leftOut: string[] }

type Options = {
  /** Base folder of relative paths. */
  folder?: string | undefined
  signal?: AbortSignal | undefined
}

/**
 * Finds the sources at the paths, and passes them to `use`; closes archives afterwards. A path is a file, an archive, a
 * folder (all files that end in .csv, .json, .ndjson, .gz or .zip, by name, without its subfolders), or `-`, the
 * standard input.
 * @throws ImportError where a path does not exist, or a folder or archive contains nothing to import
 */
export async function withSources<T>(
  paths: readonly string[],
  { folder = '.', signal }: Options,
  use: (list: SourceList) => Promise<T>,
): Promise<T> {
  const list: SourceList = { sources: [], leftOut: [] }
  const spool = setAside(signal)
  const findFrom = async (names: readonly string[]): Promise<T> => {
    for (const [index, name] of names.entries()) {
      const rest = names.slice(index + 1)
      const path = name === '-' ? name : resolve(folder, name)
      const kind = await kindOf(path).catch(missing(name))
      if (kind === 'folder') return findFrom([...(await filesIn(path, name, list)), ...rest])
      if (kind === 'archive')
        return withZip(path, ZIP_BOUNDS, (files) => {
          addZipped(files, name, list, signal)
          return findFrom(rest)
        }).catch(damaged(name))
      const source = fileSource(path, signal, name)
      list.sources.push(kind === 'pipe' ? await spool.put(source) : source)
    }
    return use(list)
  }
  try {
    return await findFrom(paths)
  } finally {
    spool.close()
  }
}

async function filesIn(path: string, name: string, { leftOut }: SourceList): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(missing(name))
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort()
  const seen = names.filter((entry) => !entry.startsWith('.')).map((entry) => join(name, entry))
  const selected = seen.filter((entry) => ENDING.test(entry) || ARCHIVE.test(entry))
  if (selected.length === 0) throw importError(`${name} is a folder without any CSV, JSON, gzip or ZIP file`)
  leftOut.push(...seen.filter((entry) => !selected.includes(entry)))
  return selected
}

function addZipped(
  files: ZippedFile[],
  name: string,
  { sources, leftOut }: SourceList,
  signal?: AbortSignal,
) {
  const selected = files.filter((file) => ENDING.test(file.name)).sort((a, b) => (a.name < b.name ? -1 : 1))
  if (selected.length === 0)
    throw importError(`${name} is a ZIP archive (or a workbook) without any CSV or JSON file: save it as CSV`)
  for (const file of selected) sources.push(zippedSource(file, `${name}/${file.name}`, signal))
  leftOut.push(...files.filter((file) => !selected.includes(file)).map((file) => `${name}/${file.name}`))
}

function zippedSource(file: ZippedFile, name: string, signal?: AbortSignal): Source {
  return {
    name,
    async *open() {
      const stream = await file.read()
      if (signal) addAbortSignal(signal, stream)
      yield* stream
    },
  }
}

async function kindOf(path: string): Promise<'pipe' | 'folder' | 'archive' | 'file'> {
  if (path === '-') return 'pipe'
  const entry = await stat(path)
  if (entry.isDirectory()) return 'folder'
  if (!entry.isFile()) return 'pipe'
  return (await isArchive(path)) ? 'archive' : 'file'
}

async function isArchive(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return isZip(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** Returns a handler that turns a system error into an ImportError with the path. */
function missing(name: string) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code === 'ENOENT') throw importError(`${name}: there is no such file`)
    if (error.code === 'EACCES') throw importError(`${name} may not be read`)
    throw error
  }
}

function damaged(name: string) {
  return (error: unknown): never => {
    throw error instanceof BadZip ? importError(`${name}: ${error.message}`) : error
  }
}

function importError(reason: string): ImportError {
  return new ImportError([{ reason }])
}

/** Private temporary folder for sources that can be read only once, such as a pipe, until `close`. */
type Spool = {
  /** Stores the source. @returns a source that can be opened repeatedly */
  put(source: Source): Promise<Source>
  close(): void
}

/** @param signal stops it, even while it waits for a pipe's writer */
function setAside(signal?: AbortSignal): Spool {
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
