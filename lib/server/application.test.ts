import { expect, test } from 'vitest'
import { routerStateCheck } from './application.ts'

// If an update removes the import: find the code in next/dist/server/app-render that parses the header of that name,
// and import it in lib/server/application.ts. If Next answers these cases with 400 itself, remove it together with
// checkNavigation.

const check = await routerStateCheck()

test.each([
  ['no header', undefined],
  [
    'the state of a page',
    encodeURIComponent(JSON.stringify(['', { children: ['__PAGE__', {}] }, null, null])),
  ],
])('Next’s own parser of a router state accepts %s', (_what, header) => {
  expect(() => check(header)).not.toThrow()
})

test.each([
  ['what is no JSON', 'x'],
  ['a broken percent sign', '%'],
  ['JSON of another form', encodeURIComponent('{"a":1}')],
  ['two of them', ['%5B%5D', '%5B%5D']],
  ['a very long one', 'a'.repeat(50_000)],
])('Next’s own parser of a router state rejects %s', (_what, header) => {
  expect(() => check(header)).toThrow()
})
