import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Tally } from './tally.ts'

/** Pauses between two changes of a writer, and before the repeat of a refused one, in milliseconds. */
const PAUSE = 15
const REPEAT = 250
/** Time after which a request counts as unanswered, in milliseconds. */
const TIMEOUT_MS = 40_000

/** A change that was answered with 200. */
export type Acknowledged = { asset: string; quantity: number }

/** Changes and reads that go on until `stop` is called. */
export type Load = {
  /** Counts the responses from now on in a new tally. */
  count(name: string): Tally
  /** Resolves when the last change of each writer was acknowledged. */
  stop(): Promise<Acknowledged[]>
}

/**
 * Starts writers that each raise the quantity of their own asset by one in a loop, and readers of the list. A change
 * that is refused or not answered is repeated with the same Idempotency-Key until it is acknowledged.
 */
export function startLoad(url: string, key: string, assets: readonly string[], readers: number): Load {
  const acknowledged: Acknowledged[] = []
  let tally = new Tally('before')
  let isOver = false
  const authorization = `Bearer ${key}`

  const sendRequest = async (path: string, init: RequestInit, isWrite: boolean): Promise<boolean> => {
    try {
      const answer = await fetch(url + path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
      const text = await answer.text()
      tally.answered(answer, text, isWrite)
      return answer.ok
    } catch (error) {
      tally.broken(error)
      return false
    }
  }
  const change = async (asset: string, quantity: number) => {
    const init = {
      method: 'PATCH',
      headers: {
        authorization,
        'content-type': 'application/json',
        'idempotency-key': `"${randomUUID()}"`,
      },
      body: JSON.stringify({ quantity }),
    }
    while (!(await sendRequest(`/billing/v1/assets/${asset}`, init, true))) await sleep(REPEAT)
    acknowledged.push({ asset, quantity })
  }
  const write = async (asset: string) => {
    for (let quantity = 2; !isOver; quantity++) {
      await change(asset, quantity)
      await sleep(PAUSE)
    }
  }
  const read = async () => {
    while (!isOver) {
      const isDone = await sendRequest(
        '/billing/v1/assets?pageSize=20',
        { headers: { authorization } },
        false,
      )
      await sleep(isDone ? PAUSE : REPEAT)
    }
  }

  const running = [...assets.map(write), ...Array.from({ length: readers }, read)]
  return {
    count(name) {
      tally.end()
      tally = new Tally(name)
      return tally
    },
    async stop() {
      isOver = true
      await Promise.all(running)
      tally.end()
      return acknowledged
    },
  }
}
