import { expect, test } from 'vitest'
import { z } from 'zod'
import * as contract from '#lib/identity/audit-events/contract.ts'
import { KIND_NAMES } from '#lib/identity/audit-events/rules.ts'
import { actionText, detailTexts, KIND_TEXTS, subjectText } from './labels.ts'
import { activeFilters, hrefOf, isFiltered } from './view.ts'

test('the address is the query of the API', () => {
  const view = { filter: { kind: ['sign-ins'], actor: ['M1'] }, minCreationTime: Date.UTC(2026, 10, 1) }
  expect(hrefOf({})).toBe('/activity/events')
  const search = new URLSearchParams(hrefOf(view).split('?')[1])
  expect(z.decode(contract.listAuditEvents.query, Object.fromEntries(search))).toEqual(view)
  expect([isFiltered(view), isFiltered({ maxResults: 5 })]).toEqual([true, false])
})

test('each filter without a control is named', () => {
  const active = activeFilters({ filter: { kind: ['access'], subject: ['K1'], action: ['key.issued'] } })
  expect(active.map(({ text }) => text)).toEqual(['K1', 'Created a key'])
  expect(active[0]?.without.filter).toEqual({ kind: ['access'], action: ['key.issued'] })
  expect(Object.keys(KIND_TEXTS).sort()).toEqual([...KIND_NAMES].sort())
})

test('an event and its details are shown with their labels', () => {
  expect(actionText('session.opened')).toBe('Signed in')
  expect(actionText('license-change.outcome-unknown')).toBe('License change outcome unknown')
  const details = { assetId: 'a-1', roles: ['admin', 'it-manager'], to: 0, reason: null, query: '' }
  const event = { details, subject: 'C1', actor: { kind: 'member', id: 'M1', name: 'Ana' } }
  expect(detailTexts(event)).toEqual(['asset id a-1', 'roles Admin, IT Manager', 'to 0'])
})

test('the target is named, but not by a meaningless id', () => {
  const id = 'cd7cc8d9-c512-4aac-b938-cf7be355eae5'
  const actor = { kind: 'member', id, name: 'Ana' }
  expect(subjectText({ subject: 'ap@a.example', actor })).toBe('ap@a.example')
  expect(subjectText({ subject: id, actor })).toBeUndefined()
  expect(detailTexts({ subject: id, actor, details: {} })).toEqual([])
  expect(detailTexts({ subject: id, actor: { ...actor, id: 'K1' }, details: { to: 1 } })).toEqual([
    'to 1',
    `id ${id}`,
  ])
})
