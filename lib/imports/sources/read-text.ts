import { createReadStream } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { ImportError } from '../import-error.ts'
import type { Source } from './source.ts'
import { unpacked } from './unpack.ts'

const CHUNK = 256 * 1024

/**
 * Returns a file as a source; `-` is the standard input. A signal stops it, even while it waits for a pipe's writer.
 */
export function fileSource(path: string, signal?: AbortSignal, name = path): Source {
  return {
    name,
    open() {
      const stream = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: CHUNK })
      if (signal) addAbortSignal(signal, stream)
      return stream
    },
  }
}

/** Yields the text of one file: see `textOf`. */
export function readText(file: string, signal?: AbortSignal): AsyncGenerator<string> {
  return textOf(fileSource(file, signal))
}

/**
 * Yields the text of a source, chunk by chunk. Gzip is unpacked whatever the name. A byte order mark is dropped.
 * @throws ImportError where the source can't be read, or is not UTF-8
 */
export async function* textOf(source: Source): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let lines = 1
  let last: Uint8Array = new Uint8Array()
  try {
    for await (const chunk of unpacked(source)) {
      last = chunk
      const text = decoder.decode(chunk, { stream: true })
      yield text
      lines += count(text)
    }
    last = new Uint8Array()
    decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [before = ''] = new TextDecoder().decode(last).split('\ufffd', 1)
    throw new ImportError([{ line: lines + count(before), reason: 'is not UTF-8 text' }])
  }
}

function count(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
