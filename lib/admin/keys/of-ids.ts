import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import * as operations from '#lib/identity/keys/operations.ts'
import type { Overlap } from '#lib/identity/keys/rules.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { operatorOf } from '../licenses/operator.ts'
import { note, print } from '../terminal.ts'

/** Makes a key for each of these that follows it, and prints the former's id with the key itself. */
export async function rotateKeys(
  given: string[],
  { customer, overlap }: { customer: string; overlap: Overlap },
): Promise<void> {
  await forEach(given, customer, async (caller, id) => {
    const input = { params: { key_id: id }, query: {}, body: { overlap } }
    const { body } = await operations.rotateKey(caller, input, { requestId: randomUUID() })
    print(`${id}\t${body.secret}`)
  })
}

/** Revokes these; one that was revoked before stays so. With `following` also the keys that followed them. */
export async function revokeKeys(
  given: string[],
  { customer, following = false }: { customer: string; following?: boolean },
): Promise<void> {
  await forEach(given, customer, async (caller, id) => {
    const query = following ? { following: 'true' as const } : {}
    const input = { params: { key_id: id }, query, body: {} }
    const { goesOn } = (await operations.revokeKey(caller, input, { requestId: randomUUID() })).body
    note(`${id} is revoked.${goesOn ? ` The key ${goesOn}, which followed it, goes on.` : ''}`)
  })
}

/**
 * Does it with one after the other, each in a transaction of its own: what is wrong with one keeps none of the others.
 * @throws Problem at the end, where any was refused
 */
async function forEach(
  given: readonly string[],
  customer: string,
  work: (caller: Caller, id: string) => Promise<void>,
): Promise<void> {
  const caller = await operatorOf(customer, ['admin'])
  const refusals: string[] = []
  let count = 0
  for await (const id of idsOf(given)) {
    count += 1
    await work(caller, id).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error
      refusals.push(refusalText(caller, id, error))
    })
  }
  if (count === 0) throw new Problem('invalid_request', 'There is no id on standard input.')
  if (refusals.length > 0) throw new Problem('invalid_request', refusals.join('\n'))
}

function refusalText({ customerName }: Caller, id: string, { code, message }: Problem): string {
  return code === 'not_found' ? `${customerName} has no key with the id ${id}.` : `${id}: ${message}`
}

async function* idsOf(given: readonly string[]): AsyncGenerator<string, void, undefined> {
  for (const word of given) {
    if (word !== '-') yield word
    else
      for await (const line of createInterface({ input: process.stdin })) if (line.trim()) yield line.trim()
  }
}
