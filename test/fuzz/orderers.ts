import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { orderRenewal, readRenewal, withdrawRenewal } from '#lib/licenses/renewal-orders/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import type { NextTerms } from './next-terms.ts'
import { runAsRequest } from './requests.ts'
import type { Seed, Stage } from './stage.ts'
import { randomFrom } from './writers.ts'

const asset = route(setQuantity)
const renewal = route(readRenewal, orderRenewal, withdrawRenewal)

/** Parts of a stage that orderers use. */
export type OrderDesk = Pick<Stage, 'keys' | 'assetId'> & { terms: Pick<NextTerms, 'wish'> }

type Work = { requests: number; seed: number; name?: string }

/** Lets several orderers PUT, DELETE and PATCH concurrently; returns the responses by method and status. */
export async function order(
  desk: OrderDesk,
  seeds: readonly Seed[],
  { requests, seed, name = 'order' }: Work,
): Promise<Record<string, number>> {
  const { terms, assetId } = desk
  const answers: Record<string, number> = {}
  let count = 0
  const orderer = async (number: number) => {
    const random = randomFrom(seed + number * 7919)
    while (count < requests) {
      const suffix = `${name}-${number}-${++count}`.padStart(8, '-')
      const target = seeds[Math.floor(random() * seeds.length)] as Seed
      const kind = random()
      const method = kind < 0.5 ? 'PUT' : kind < 0.8 ? 'DELETE' : 'PATCH'
      const setting = terms.wish(random)
      const body = {
        // An asset is called by its id.
        PUT: 'action' in setting ? { ...setting, confirm: assetId(target) } : setting,
        DELETE: {},
        PATCH: { quantity: 20 + Math.floor(random() * 25) },
      }[method]
      const status = await send(desk, number, target, { method, body, requestId: `${method}-${suffix}` })
      const answer = `${method} ${status}`
      answers[answer] = (answers[answer] ?? 0) + 1
    }
  }
  await Promise.all(desk.keys.map((_, number) => orderer(number)))
  return answers
}

export type Sent = { method: 'PUT' | 'DELETE' | 'PATCH'; body: object; requestId: string }

/** @returns status and code */
export async function send(
  { keys, assetId }: Pick<OrderDesk, 'keys' | 'assetId'>,
  orderer: number,
  seed: Seed,
  { method, body, requestId }: Sent,
): Promise<string> {
  const path = method === 'PATCH' ? '' : '/renewal'
  const text = JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${keys[orderer]}`,
    'content-type': 'application/json',
    'content-length': `${text.length}`,
    'request-id': requestId,
  }
  const url = `http://console.example/billing/v1/assets/${assetId(seed)}${path}`
  const request = new Request(url, { method, headers, ...(method === 'DELETE' ? {} : { body: text }) })
  if (method === 'DELETE') for (const name of ['content-type', 'content-length']) request.headers.delete(name)
  const handler = method === 'PATCH' ? asset.PATCH : renewal[method]
  const response = await runAsRequest(requestId, () => handler(request))
  const { code } = (await response.json()) as { code?: string }
  return [response.status, code].filter(Boolean).join(' ')
}
