import { ImportError } from '#lib/imports/import-error.ts'

/** Object of a file as text, with the line on which it begins. */
export type JsonElement = { line: number; text: string }

/** Most characters of one object; an invoice with 10,000 lines has some 2 million. */
const MAX_CHARACTERS = 16 * 1024 * 1024
const DEEPEST = 50
const DEPTHS: Record<string, number> = { '{': 1, '[': 1, '}': -1, ']': -1 }

/**
 * Yields the objects of a JSON file one by one, so that memory is bounded by one object: the elements of its array, or
 * consecutive objects (NDJSON). The contents between their braces are not parsed yet.
 * @throws ImportError with the line where the file is neither
 */
export async function* jsonElements(text: AsyncIterable<string>): AsyncGenerator<JsonElement> {
  const scan = elementScan()
  for await (const chunk of text) yield* scan.consumeChunk(chunk)
  scan.end()
}

/** State of the reader outside of objects. */
type ScanState = 'start' | 'sequence' | 'array' | 'after comma' | 'after element' | 'after array'

function elementScan() {
  let state: ScanState = 'start'
  let line = 1
  let open: (JsonElement & { scan: ObjectScan }) | undefined

  /** Continues the open object. @returns the position in the chunk to continue from */
  function* inside(chunk: string, at: number, object: JsonElement & { scan: ObjectScan }) {
    const end = object.scan(chunk, at)
    const piece = chunk.slice(at, end ?? chunk.length)
    object.text += piece
    line += piece.split('\n').length - 1
    if (object.text.length > MAX_CHARACTERS)
      throw syntaxError(object.line, `an object of more than ${MAX_CHARACTERS} characters`)
    if (end !== undefined) {
      yield { line: object.line, text: object.text }
      open = undefined
    }
    return at + piece.length
  }

  const outside = (char: string) => {
    if (char === '{' && state !== 'after element' && state !== 'after array') {
      state = state === 'start' || state === 'sequence' ? 'sequence' : 'after element'
      open = { line, text: '', scan: objectScan(line) }
    } else state = between(state, char, line)
    if (char === '\n') line += 1
  }

  return {
    *consumeChunk(chunk: string): Generator<JsonElement> {
      for (let at = 0; at < chunk.length; ) {
        if (!open) outside(chunk[at] ?? '')
        if (open) at = yield* inside(chunk, at, open)
        else at += 1
      }
    },
    end() {
      if (open) throw syntaxError(open.line, 'the object that begins here does not end')
      if (state === 'start') throw syntaxError(line, 'there is no object in the file')
      if (state !== 'sequence' && state !== 'after array') throw syntaxError(line, 'the array does not end')
    },
  }
}

function between(state: ScanState, char: string, line: number): ScanState {
  if (/\s/.test(char)) return state
  if (char === '[' && state === 'start') return 'array'
  if (char === ',' && state === 'after element') return 'after comma'
  if (char === ']' && (state === 'array' || state === 'after element')) return 'after array'
  const expected =
    state === 'after element' ? 'a comma or ]' : state === 'after array' ? 'nothing' : 'an object'
  throw syntaxError(line, `${JSON.stringify(char)} instead of ${expected}`)
}

/** Finds where an object ends that may go on over many chunks: after its last brace, or not in this one. */
type ObjectScan = (chunk: string, from: number) => number | undefined

function objectScan(line: number): ObjectScan {
  let depth = 0
  let inString = false
  let escaped = false
  const consume = (char: string) => {
    if (escaped) escaped = false
    else if (char === '"') inString = !inString
    else if (inString) escaped = char === '\\'
    else depth += DEPTHS[char] ?? 0
  }
  return (chunk, from) => {
    for (let at = from; at < chunk.length; at++) {
      consume(chunk[at] ?? '')
      if (depth === 0) return at + 1
      if (depth > DEEPEST) throw syntaxError(line, 'the object that begins here is nested too deeply')
    }
    return undefined
  }
}

function syntaxError(line: number, reason: string): ImportError {
  return new ImportError([{ line, reason }])
}
