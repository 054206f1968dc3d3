import { readAsset } from '#lib/licenses/assets/operations.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { runAsRequest } from './requests.ts'
import type { Seed, Stage } from './stage.ts'

const asset = route(readAsset, setQuantity)

/** A response to a PATCH. Times are epoch milliseconds. */
export type Answered = {
  /** The request's id. */
  requestId: string
  seed: Seed
  quantity: number
  status: number
  code?: string
  since: number
  until: number
}

/** Part of a stage that writers need. */
type WriterContext = Pick<Stage, 'seeds' | 'keys' | 'assetId' | 'vendor'>

/** @param patch.headers with the `request-id` */
export type Send = (
  stage: WriterContext,
  patch: { writer: number; seed: Seed; quantity: number; headers: Record<string, string> },
) => Promise<{ status: number; code?: string }>

/** Sends the PATCH through the API, as a script does. */
const send: Send = async (stage, { writer, seed, quantity, headers }) => {
  const response = await asset.PATCH(request(stage, writer, seed, { body: { quantity }, headers }))
  const body = await response.json()
  return { status: response.status, ...(body.code ? { code: body.code } : {}) }
}

/** Returns a generator of numbers in [0, 1), the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Work = {
  /** Number of PATCHes, or a signal that ends them. */
  patches: number | AbortSignal
  seed: number
  by?: Send
  /** Prefix of the request ids, different in each process. */
  name?: string
  onAnswer?: (answer: Answered) => void
}

/** Runs all writers of the stage in parallel, which request totals of all assets. */
export async function write(
  stage: WriterContext,
  { patches, seed, by = send, name = 'fuzz', onAnswer }: Work,
): Promise<Answered[]> {
  const answers: Answered[] = []
  let left = typeof patches === 'number' ? patches : Number.POSITIVE_INFINITY
  const isOver = () => left <= 0 || (typeof patches !== 'number' && patches.aborted)
  let count = 0
  const writer = async (number: number) => {
    const random = randomFrom(seed + number * 7919)
    while (!isOver()) {
      const { target, quantity, headers, repeats } = await nextRequest(
        stage,
        number,
        `${name}-${count}`,
        random,
      )
      left -= repeats
      const since = Date.now()
      for (let repeat = 0; repeat < repeats; repeat++) {
        const requestId = `${name}-${number}-${++count}`.padStart(8, '-')
        const requestHeaders = { ...headers, 'request-id': requestId }
        const answer = await runAsRequest(requestId, () =>
          by(stage, { writer: number, seed: target, quantity, headers: requestHeaders }),
        )
        const answered = { ...answer, requestId, seed: target, quantity, since, until: Date.now() }
        answers.push(answered)
        onAnswer?.(answered)
      }
    }
  }
  await Promise.all(stage.keys.map((_, number) => writer(number)))
  return answers
}

/**
 * Returns the next request. Some requests have an idempotency key, whose repeat has one effect at most; some have the
 * version that was just read.
 */
async function nextRequest(stage: WriterContext, writer: number, name: string, random: () => number) {
  const target = stage.seeds[Math.floor(random() * stage.seeds.length)] as Seed
  // Few totals, so that the same one is requested often.
  const quantity = target.isCommitmentPlan ? 20 + Math.floor(random() * 25) : 5 + Math.floor(random() * 12)
  const kind = random()
  const headers: Record<string, string> = {}
  if (kind < 0.15) headers['idempotency-key'] = `${writer}-${name}`
  if (kind > 0.85) headers['if-match'] = await etagOf(stage, writer, target)
  return { target, quantity, headers, repeats: kind < 0.1 ? 2 : 1 }
}

async function etagOf(stage: WriterContext, writer: number, seed: Seed): Promise<string> {
  const response = await asset.GET(request(stage, writer, seed))
  return response.headers.get('etag') ?? '*'
}

function request(
  stage: WriterContext,
  writer: number,
  seed: Seed,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
): Request {
  const url = `http://console.example/billing/v1/assets/${stage.assetId(seed)}`
  const authorization = `Bearer ${stage.keys[writer]}`
  if (!body) return new Request(url, { headers: { authorization } })
  const text = JSON.stringify(body)
  const bodyHeaders = {
    authorization,
    'content-type': 'application/json',
    'content-length': `${text.length}`,
  }
  return new Request(url, { method: 'PATCH', headers: { ...bodyHeaders, ...headers }, body: text })
}
