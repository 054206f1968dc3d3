import { expect, test } from 'vitest'
import { Problem } from '#lib/platform/api/problem.ts'
import { patiently } from './patience.ts'

const tooMany = (retryAfter: number) => new Problem('rate_limited', undefined, { retryAfter })
const never = new AbortController().signal

test('who is over a limit is waited for, and asked again', async () => {
  const answers = [tooMany(0.001), tooMany(0.001), 'done']
  const ask = async () => {
    const answer = answers.shift()
    if (answer instanceof Problem) throw answer
    return answer
  }
  expect(await patiently(ask, never)).toBe('done')
  expect(answers).toEqual([])
})

test('any other refusal is one at once', async () => {
  let asked = 0
  const ask = async () => {
    asked += 1
    throw new Problem('vendor_unavailable')
  }
  await expect(patiently(ask, never)).rejects.toMatchObject({ code: 'vendor_unavailable' })
  expect(asked).toBe(1)
})

test('a stop ends the wait', async () => {
  const stop = new AbortController()
  let asked = 0
  const waiting = patiently(async () => {
    asked += 1
    queueMicrotask(() => stop.abort())
    throw tooMany(3600)
  }, stop.signal)
  await expect(waiting).rejects.toMatchObject({ code: 'rate_limited' })
  expect(asked).toBe(1)
})
