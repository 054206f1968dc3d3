import { expect, test } from 'vitest'
import { progress } from './terminal.ts'

function watched(isTTY: boolean) {
  let written = ''
  let time = 0
  const output = { isTTY, write: (text: string) => (written += text) }
  const display = progress('lines read', output, () => time)
  const at = (ms: number, count: number, what?: string) => {
    time = ms
    display.update(count, what)
  }
  return { at, end: display.end, written: () => written }
}

test('A log gets a line every five seconds, and none for quick work', () => {
  const { at, end, written } = watched(false)
  at(4900, 64_000)
  expect(written()).toBe('')
  at(5000, 128_000)
  at(9000, 192_000)
  at(10_000, 256_000)
  end()
  expect(written()).toBe('128,000 lines read …\n256,000 lines read …\n')
})

test('A terminal gets one line that is overwritten and finally cleared', () => {
  const { at, end, written } = watched(true)
  at(0, 64)
  at(50, 128)
  at(100, 192, 'invoices stored')
  end()
  expect(written()).toBe('\r\u001b[K64 lines read …\r\u001b[K192 invoices stored …\r\u001b[K')
})
