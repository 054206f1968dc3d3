import { createReadStream } from 'node:fs'
import { addAbortSignal, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { ImportRefused } from './refused.ts'

const CHUNK = 256 * 1024

/** What a file that is no text begins with, and what to do about it. */
const FOREIGN: [start: number[], reason: string][] = [
  [[0x50, 0x4b, 0x03, 0x04], 'is a zip archive (or a workbook): unpack it, or save it as CSV'],
  [[0x50, 0x41, 0x52, 0x31], 'is a Parquet file: export it as CSV'],
  [[0xff, 0xfe], 'is UTF-16 text: save it as UTF-8'],
  [[0xfe, 0xff], 'is UTF-16 text: save it as UTF-8'],
]

/**
 * The text of a file, chunk by chunk; `-` is the standard input. What is gzipped is unpacked on the way,
 * whatever its name. A byte order mark is dropped.
 * @param signal stops it, also while it waits for somebody's pipe
 * @throws ImportRefused where there is no such file, or it is no UTF-8 text
 */
export async function* readText(file: string, signal?: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let lines = 1
  let last: Uint8Array = new Uint8Array()
  try {
    for await (const chunk of unpacked(file, signal)) {
      last = chunk
      const text = decoder.decode(chunk, { stream: true })
      yield text
      lines += count(text)
    }
    last = new Uint8Array()
    decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw asRefusal(error, file)
    const [before = ''] = new TextDecoder().decode(last).split('\ufffd', 1)
    throw new ImportRefused([{ line: lines + count(before), reason: 'is not UTF-8 text' }])
  }
}

async function* unpacked(file: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const raw: Readable = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK })
  if (signal) addAbortSignal(signal, raw)
  const chunks: AsyncIterator<Buffer> = raw[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  for (let done = false; !done && head.length < 4; ) {
    const next = await chunks.next()
    done = next.done === true
    if (!done) head = Buffer.concat([head, Buffer.from(next.value)])
  }
  if (head.length === 0) throw new ImportRefused([{ reason: `${nameOf(file)} is empty` }])
  const foreign = FOREIGN.find(([start]) => start.every((byte, index) => head[index] === byte))
  if (foreign) throw new ImportRefused([{ reason: `${nameOf(file)} ${foreign[1]}` }])
  const rest = async function* () {
    yield head
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b) return yield* rest()
  const gunzip = createGunzip({ chunkSize: CHUNK })
  // Its errors come out of the loop over gunzip, too.
  pipeline(Readable.from(rest()), gunzip).catch(() => {})
  yield* gunzip
}

function asRefusal(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const name = nameOf(file)
  if (code === 'ENOENT') return new ImportRefused([{ reason: `${name}: there is no such file` }])
  if (code === 'EISDIR') return new ImportRefused([{ reason: `${name} is a folder` }])
  if (code === 'EACCES') return new ImportRefused([{ reason: `${name} may not be read` }])
  if (code.startsWith('Z_')) return new ImportRefused([{ reason: `${name} is a damaged gzip file` }])
  return error
}

function nameOf(file: string): string {
  return file === '-' ? 'The standard input' : file
}

function count(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
