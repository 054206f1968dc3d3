import { describe, expect, test } from 'vitest'
import { activeValues, changed, cleared, selectionOf, toggled, withValues } from './view.ts'

type View = {
  filter?: { platform?: string[]; status?: string[] } | undefined
  search?: string | undefined
  minCreationTime?: number | undefined
  orderBy?: 'dueDate asc' | undefined
  maxResults?: number | undefined
  pageToken?: string | undefined
}

const view = {
  filter: { platform: ['web-services'], status: ['OPEN', 'PAST DUE'] },
  minCreationTime: 1_735_689_600_000,
  search: 'IN',
  maxResults: 10,
  pageToken: 'token',
} satisfies View

describe('a change of the filters', () => {
  test('goes to the first page and keeps the rest', () => {
    const { pageToken: _, ...rest } = view
    expect(changed<View>(view, { search: undefined })).toStrictEqual({ ...rest, search: undefined })
  })
  test('adds a value or removes it', () => {
    expect(toggled<View>(view, 'status', 'PAID').filter?.status).toEqual(['OPEN', 'PAST DUE', 'PAID'])
    expect(toggled<View>(view, 'status', 'OPEN').filter?.status).toEqual(['PAST DUE'])
    expect(toggled<View>(view, 'status', 'OPEN')).not.toHaveProperty('pageToken')
  })
  test('leaves no key without a value, and no filter without a key', () => {
    expect(toggled<View>(view, 'platform', 'web-services').filter).toStrictEqual({
      status: ['OPEN', 'PAST DUE'],
    })
    const emptied = withValues<View>({ filter: { status: ['OPEN'] }, maxResults: 3 }, 'status', [])
    expect(emptied).toStrictEqual({ filter: undefined, maxResults: 3 })
  })
  test('can clear all filters, and keeps the order and the page size', () => {
    const ordered: View = { ...view, orderBy: 'dueDate asc' }
    expect(cleared(ordered)).toEqual({ maxResults: 10, orderBy: 'dueDate asc' })
  })
})

test('the selection excludes the page and the order', () => {
  const { filter, minCreationTime, search } = view
  const ordered: View = { ...view, orderBy: 'dueDate asc' }
  expect(selectionOf(ordered)).toStrictEqual({ filter, minCreationTime, search })
})

test('each active value is named once, with the view without it', () => {
  const twice: View = { filter: { status: ['OPEN', 'PAID', 'OPEN'] } }
  const active = activeValues(twice, 'status', (status) => status.toLowerCase())
  expect(active.map(({ text }) => text)).toEqual(['open', 'paid'])
  expect(active[0]?.without.filter?.status).toEqual(['PAID'])
})
