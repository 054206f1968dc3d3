import { ImportRefused } from '#lib/imports/refused.ts'

/** One object of a file, as text, and the line on which it begins. */
export type JsonElement = { line: number; text: string }

/** Of one object; an invoice with 10,000 lines has some 2 million. */
const MOST_CHARACTERS = 16 * 1024 * 1024
const DEEPEST = 50
const DEPTHS: Record<string, number> = { '{': 1, '[': 1, '}': -1, ']': -1 }

/**
 * The objects of a JSON file one by one, so that a file of any length takes the memory of one: those of
 * its array, or, without an array, those that follow one another (NDJSON). What is between their braces
 * is not looked at yet.
 * @throws ImportRefused where the file is neither, with its line
 */
export async function* jsonElements(text: AsyncIterable<string>): AsyncGenerator<JsonElement> {
  const scan = elementScan()
  for await (const chunk of text) yield* scan.take(chunk)
  scan.end()
}

/** Where the reader is, outside the objects. */
type Place = 'start' | 'sequence' | 'array' | 'after comma' | 'after element' | 'after array'

function elementScan() {
  let place: Place = 'start'
  let line = 1
  let open: (JsonElement & { scan: ObjectScan }) | undefined

  /** Goes on in the object that is open; what it returns is where to go on in the chunk. */
  function* inside(chunk: string, at: number, object: JsonElement & { scan: ObjectScan }) {
    const end = object.scan(chunk, at)
    const piece = chunk.slice(at, end ?? chunk.length)
    object.text += piece
    line += piece.split('\n').length - 1
    if (object.text.length > MOST_CHARACTERS)
      throw refusal(object.line, `an object of more than ${MOST_CHARACTERS} characters`)
    if (end !== undefined) {
      yield { line: object.line, text: object.text }
      open = undefined
    }
    return at + piece.length
  }

  const outside = (char: string) => {
    if (char === '{' && place !== 'after element' && place !== 'after array') {
      place = place === 'start' || place === 'sequence' ? 'sequence' : 'after element'
      open = { line, text: '', scan: objectScan(line) }
    } else place = between(place, char, line)
    if (char === '\n') line += 1
  }

  return {
    *take(chunk: string): Generator<JsonElement> {
      for (let at = 0; at < chunk.length; ) {
        if (!open) outside(chunk[at] ?? '')
        if (open) at = yield* inside(chunk, at, open)
        else at += 1
      }
    },
    end() {
      if (open) throw refusal(open.line, 'the object that begins here does not end')
      if (place === 'start') throw refusal(line, 'there is no object in the file')
      if (place !== 'sequence' && place !== 'after array') throw refusal(line, 'the array does not end')
    },
  }
}

function between(place: Place, char: string, line: number): Place {
  if (/\s/.test(char)) return place
  if (char === '[' && place === 'start') return 'array'
  if (char === ',' && place === 'after element') return 'after comma'
  if (char === ']' && (place === 'array' || place === 'after element')) return 'after array'
  const wanted =
    place === 'after element' ? 'a comma or ]' : place === 'after array' ? 'nothing' : 'an object'
  throw refusal(line, `${JSON.stringify(char)} where ${wanted} should stand`)
}

/** Finds where an object ends that may go on over many chunks: after its last brace, or not in this one. */
type ObjectScan = (chunk: string, from: number) => number | undefined

function objectScan(line: number): ObjectScan {
  let depth = 0
  let inString = false
  let escaped = false
  const take = (char: string) => {
    if (escaped) escaped = false
    else if (char === '"') inString = !inString
    else if (inString) escaped = char === '\\'
    else depth += DEPTHS[char] ?? 0
  }
  return (chunk, from) => {
    for (let at = from; at < chunk.length; at++) {
      take(chunk[at] ?? '')
      if (depth === 0) return at + 1
      if (depth > DEEPEST) throw refusal(line, 'the object that begins here is nested too deeply')
    }
    return undefined
  }
}

function refusal(line: number, reason: string): ImportRefused {
  return new ImportRefused([{ line, reason }])
}
