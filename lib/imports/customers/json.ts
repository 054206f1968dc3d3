import { jsonValues } from '../json/objects.ts'
import type { Piece } from './shapes.ts'
import { Customer } from './values.ts'

/**
 * The customers of a JSON file: an array of objects, or objects one after another (NDJSON).
 * @throws ImportRefused that lists what is wrong, by line and field; also a customer that comes twice
 */
export async function readJsonPieces(text: string): Promise<Piece[]> {
  let line = 0
  const objects = jsonValues([{ name: '', text: whole(text) }], {
    read: (value) => Customer.safeParse(value),
    keyOf: ({ id }) => ({ group: '', id }),
    onObject: (_, at) => {
      line = at
    },
  })
  const pieces: Piece[] = []
  for await (const { billingProfiles: profiles, ...customer } of objects)
    pieces.push({ ...customer, profiles, line })
  return pieces
}

async function* whole(text: string): AsyncGenerator<string> {
  yield text
}
