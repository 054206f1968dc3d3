import { afterEach, expect, test, vi } from 'vitest'
import { showProgress } from './progress.mjs'

afterEach(() => {
  vi.useRealTimers()
})

test('a terminal has one line that counts seconds, a log a line each half minute', () => {
  vi.useFakeTimers()
  const written = { terminal: '', log: '' }
  const ends = [
    showProgress('Building', '1 minute', { isTTY: true, write: (text) => (written.terminal += text) }),
    showProgress('Building', '1 minute', { write: (text) => (written.log += text) }),
  ]
  vi.advanceTimersByTime(31_000)
  for (const end of ends) end()
  vi.advanceTimersByTime(60_000)
  expect(written.log).toBe('Building (usually 1 minute) …\nBuilding: 30 s …\nBuilding: done after 31 s\n')
  expect(written.terminal.split('\r\u001b[K').slice(-2)).toEqual([
    'Building (usually 1 minute) … 31 s',
    'Building: done after 31 s\n',
  ])
  expect(written.terminal.match(/\n/g)).toHaveLength(1)
})
