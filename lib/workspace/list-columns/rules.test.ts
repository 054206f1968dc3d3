import { describe, expect, it } from 'vitest'
import {
  columnsOf,
  isSame,
  LIST_COLUMNS,
  LISTS,
  moved,
  toggled,
  usualColumns,
  validateColumns,
} from './rules.ts'

describe('columnsOf', () => {
  it.each(LISTS)('starts %s with the column that names the rows, for any stored choice', (list) => {
    const [first] = LIST_COLUMNS[list]
    for (const stored of [undefined, [], ['unknown'], LIST_COLUMNS[list].toReversed()])
      expect(columnsOf(list, stored)[0]).toBe(first)
  })

  it('returns the stored choice without columns that no longer exist, each column once', () => {
    expect(columnsOf('assets', ['name', 'usage', 'gone', 'plan', 'usage'])).toEqual(['name', 'usage', 'plan'])
    expect(columnsOf('assets', undefined)).toEqual(usualColumns('assets'))
    expect(columnsOf('assets', ['name'])).toEqual(['name'])
  })
})

it.each([
  [['name'], undefined],
  [['name', 'plan', 'type'], undefined],
  [[], 'must begin with name, which names the rows'],
  [['plan', 'name'], 'must begin with name, which names the rows'],
  [['name', 'plan', 'plan'], 'names a column twice'],
  [['name', 'number'], `can be of these only: ${LIST_COLUMNS.assets.join(', ')}`],
])('%j: %s', (columns, message) => {
  expect(validateColumns('assets', columns)).toBe(message)
})

describe('a column', () => {
  const columns = ['name', 'licenses', 'usage'] as const
  it('is hidden, and reappears at its usual position', () => {
    expect(toggled('assets', columns, 'usage')).toEqual(['name', 'licenses'])
    expect(toggled('assets', columns, 'plan')).toEqual(['name', 'plan', 'licenses', 'usage'])
    expect(toggled('assets', ['name', 'usage', 'plan'], 'created')).toEqual([
      'name',
      'usage',
      'plan',
      'created',
    ])
  })
  it('moves by one position, and never before the first or beyond the end', () => {
    expect(moved(columns, 'usage', -1)).toEqual(['name', 'usage', 'licenses'])
    expect(moved(columns, 'licenses', 1)).toEqual(['name', 'usage', 'licenses'])
    for (const [column, by] of [
      ['licenses', -1],
      ['usage', 1],
      ['name', 1],
    ] as const)
      expect(isSame(moved(columns, column, by), columns)).toBe(true)
  })
})
