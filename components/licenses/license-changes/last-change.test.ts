import { expect, test } from 'vitest'
import { idsToSetAgain, newsText, totalToSetAgain, whatToDoText } from './last-change.ts'

const newsOf = (state: string) => newsText({ state, from: 1020, to: 1025 }, 'Google Workspace')

test('changes at the vendor, failed changes and unclear ones are news; applied ones are not', () => {
  expect(newsOf('DRIFT')).toBe('Changed at Google Workspace: 1,020 → 1,025')
  expect(newsOf('FAILED')).toBe('Not applied: 1,020 → 1,025')
  expect(newsOf('UNCLEAR')).toBe('We can’t tell whether 1,025 licenses reached Google Workspace')
  for (const state of ['APPLIED', 'REJECTED', 'RECORDED', 'NEWER']) expect(newsOf(state)).toBeUndefined()
})

test('a total is offered again only if its change failed and the present total differs', () => {
  expect(totalToSetAgain({ state: 'FAILED', to: 22 }, 20)).toBe(22)
  expect(totalToSetAgain({ state: 'FAILED', to: 22 }, 22)).toBeUndefined()
  expect(totalToSetAgain({ state: 'UNCLEAR', to: 22 }, 20)).toBeUndefined()
  expect(totalToSetAgain(undefined, 20)).toBeUndefined()
})

test('the next steps do not repeat that we can’t tell', () => {
  const reason = 'We can’t tell whether the change to 25 reached Google Workspace: it shows 30. Compare them.'
  expect(whatToDoText(reason)).toBe('It shows 30. Compare them.')
  expect(whatToDoText('Ask the reseller: they know.')).toBe('Ask the reseller: they know.')
})

test('the newest change of each asset in a list is offered again if it failed', () => {
  const change = (id: string, assetId: string, state: string) => ({ id, assetId, state, from: 1, to: 2 })
  const ids = idsToSetAgain([
    change('4', 'a', 'FAILED'),
    change('3', 'b', 'APPLIED'),
    change('2', 'a', 'FAILED'),
    change('1', 'b', 'FAILED'),
  ])
  expect([...ids]).toEqual(['4'])
})
