import 'server-only'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Problem } from '#lib/platform/api/problem.ts'
import { BadZip, isZip, withZip } from '#lib/platform/files/zip.ts'

/** Input file of the operator: on its own, in a folder or in an archive. */
export type InputFile = {
  /** Its name for people, with the folder or archive that it is in. */
  place: string
  /** File name without folders. */
  name: string
  bytes: number
  /** Whether the operator named the file itself, rather than a folder or archive that contains the file. */
  isNamed: boolean
  read(): Promise<Buffer>
}

/** Most files per call, and most bytes of unpacked archives. */
const MAX_TOTAL = { files: 10_000, bytes: 4_000_000_000 }

/**
 * Visits each file under the paths one by one: files, files in folders (recursively), and files in ZIP archives. Skips
 * hidden files. One file is in memory at a time, unless `visit` keeps it.
 * @throws Problem where a file is missing or unreadable, or there are too many
 */
export async function walkFiles(
  paths: readonly string[],
  onFile: (file: InputFile) => Promise<void>,
): Promise<void> {
  let count = 0
  const counted = async (file: InputFile) => {
    count += 1
    if (count > MAX_TOTAL.files)
      throw invalidFile(
        `These are more than ${MAX_TOTAL.files.toLocaleString('en')} files. Give a part of them.`,
      )
    await onFile(file)
  }
  for (const path of paths)
    await walkPath(path, counted).catch((error) => Promise.reject(readableError(error, path)))
}

async function walkPath(path: string, onFile: (file: InputFile) => Promise<void>): Promise<void> {
  if ((await stat(path)).isDirectory()) {
    const around = basename(path)
    for (const file of await filesIn(path))
      await onFile(await fileAt(file, join(around, relative(path, file))))
  } else if (await isArchive(path)) {
    await withZip(path, MAX_TOTAL, async (files) => {
      for (const { name, bytes, read } of files)
        await onFile({
          place: `${basename(path)}/${name}`,
          name: basename(name),
          bytes,
          isNamed: false,
          read: async () => buffer(await read()),
        })
    })
  } else await onFile({ ...(await fileAt(path, basename(path))), isNamed: true })
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const isHidden = (file: string) =>
    relative(folder, file)
      .split('/')
      .some((part) => part.startsWith('.'))
  return files.filter((file) => !isHidden(file)).sort()
}

async function fileAt(path: string, location: string): Promise<InputFile> {
  const { size } = await stat(path)
  return { place: location, name: basename(path), bytes: size, isNamed: false, read: () => readFile(path) }
}

async function isArchive(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer: start } = await file.read({ buffer: Buffer.alloc(4), length: 4, position: 0 })
    return isZip(start)
  } finally {
    await file.close()
  }
}

function readableError(error: unknown, path: string): unknown {
  if (error instanceof BadZip) return invalidFile(`${path}: ${error.message}`)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return invalidFile(`${path}: there is no such file.`)
  if (code === 'EACCES') return invalidFile(`${path} may not be read.`)
  return error
}

function invalidFile(message: string): Problem {
  return new Problem('invalid_request', message)
}
