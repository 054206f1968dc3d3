import { expect, test } from 'vitest'
import { routerStateCheck } from './application.ts'

// When it is gone after an update: find in next/dist/server/app-render what reads the header of that name, and name
// that in lib/server/application.ts. Where Next answers 400 by itself to what is refused here, drop it, and the front door's
// checkNavigation with it.

const check = await routerStateCheck()

test.each([
  ['no header', undefined],
  [
    'the state of a page',
    encodeURIComponent(JSON.stringify(['', { children: ['__PAGE__', {}] }, null, null])),
  ],
])("Next's own reading of a router state takes %s", (_what, header) => {
  expect(() => check(header)).not.toThrow()
})

test.each([
  ['what is no JSON', 'x'],
  ['a broken percent sign', '%'],
  ['JSON of another form', encodeURIComponent('{"a":1}')],
  ['two of them', ['%5B%5D', '%5B%5D']],
  ['a very long one', 'a'.repeat(50_000)],
])('and refuses %s', (_what, header) => {
  expect(() => check(header)).toThrow()
})
