import { expect, test } from 'vitest'
import { readRows } from './csv-rows.ts'

async function rowsOf(text: string, size = text.length): Promise<[string[], number][]> {
  const rows: [string[], number][] = []
  await readRows(chunks(text, size), (row, line) => rows.push([row, line]))
  return rows
}

async function* chunks(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

const NASTY = 'a,b\r\n1,"x\r\ny, ""z"""\r\n\r\n"é\n\n",4\r\n5\r\n'

test.each([NASTY.length, 1, 2, 3, 7])(
  'reports the line on which a row begins, in chunks of %i',
  async (size) => {
    expect(await rowsOf(NASTY, size)).toEqual([
      [['a', 'b'], 1],
      [['1', 'x\r\ny, "z"'], 2],
      [['é\n\n', '4'], 5],
      [['5'], 8],
    ])
  },
)

test.each([
  ['an open quote', 'a,b\n1,2\n3,"4\n5,6\n', 3, 'does not end'],
  ['a long open quote', `a,b\n1,"${'x'.repeat(3_000_000)}`, 2, 'does not end'],
  ['text after a quote', 'a,b\n1,"2"3\n', 2, 'CSV'],
])('refuses %s', async (_what, text, line, reason) => {
  await expect(rowsOf(text)).rejects.toMatchObject({
    problems: [{ line, reason: expect.stringContaining(reason) }],
  })
})

test('An exception of the sink ends the file', async () => {
  const stop = new Error('enough')
  let seen = 0
  const sink = () => {
    seen += 1
    if (seen === 2) throw stop
  }
  await expect(readRows(chunks('a\nb\nc\nd\n', 8), sink)).rejects.toBe(stop)
  expect(seen).toBe(2)
})

test('an aborted signal stops it, too', async () => {
  const controller = new AbortController()
  const endless = async function* () {
    for (;;) yield 'a,b\n'.repeat(1000)
  }
  let seen = 0
  const sink = () => {
    seen += 1
    if (seen === 5000) controller.abort()
  }
  await expect(readRows(endless(), sink, controller.signal)).rejects.toThrow()
})
