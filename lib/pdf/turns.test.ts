import { describe, expect, test } from 'vitest'
import { turnsByCustomer } from './turns.ts'

/** Work that ends when it is told to, with the order in which it was begun. */
function work(most = { each: 3, all: 5 }) {
  const inTurn = turnsByCustomer(most)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const ask = (name: string) => {
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    return inTurn(name.slice(0, 1), () => {
      begun.push(name)
      return end.promise
    })
  }
  /** Ends one piece after the other, each when it was begun. */
  const finish = async (count: number) => {
    for (let ended = 0; ended < count; ended++) {
      await expect.poll(() => begun.length).toBe(ended + 1)
      ends.get(begun[ended] ?? '')?.resolve('done')
    }
  }
  return { begun, ends, ask, finish }
}

describe('drawings', () => {
  test('are done one at a time, and the customers take turns', async () => {
    const { begun, ask, finish } = work()
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map(ask)
    expect(begun).toEqual(['a1'])
    await finish(6)
    expect(await Promise.all(all)).toEqual(Array(6).fill('done'))
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
  })

  test('are refused where too many wait: of one customer, or of all', async () => {
    const { begun, ends, ask, finish } = work()
    const all = ['a1', 'a2', 'a3', 'a4'].map(ask)
    const refusal = { code: 'service_unavailable', more: { headers: { 'Retry-After': '5' } } }
    await expect(ask('a5')).rejects.toMatchObject(refusal)
    all.push(ask('b1'), ask('c1'))
    await expect(ask('d1')).rejects.toMatchObject(refusal)
    await finish(6)
    await Promise.all(all)
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
    // Whoever was refused may come again.
    const again = ask('d2')
    await expect.poll(() => begun.at(-1)).toBe('d2')
    ends.get('d2')?.resolve('done')
    expect(await again).toBe('done')
  })

  test('go on after one that failed', async () => {
    const { ends, ask, begun } = work()
    const [first, second] = [ask('a1'), ask('b1')]
    ends.get('a1')?.reject(new Error('It can not be drawn.'))
    await expect(first).rejects.toThrow('can not be drawn')
    await expect.poll(() => begun).toEqual(['a1', 'b1'])
    ends.get('b1')?.resolve('done')
    expect(await second).toBe('done')
  })
})
