import { describe, expect, it } from 'vitest'
import { platformName, statusOf } from './rules.ts'

describe('statusOf (CONTRACT 3)', () => {
  it.each([
    ['0', '2026-01-01', 'PAID'],
    ['0.00', '2026-01-01', 'PAID'],
    ['-0.01', '2026-01-01', 'PAID'],
    ['0.01', '2026-11-19', 'PAST DUE'],
    ['0.01', '2026-11-20', 'OPEN'],
    ['10', '2026-11-21', 'OPEN'],
  ])('balance %s, due %s: %s', (balance, due, status) => {
    expect(statusOf(balance, due, '2026-11-20')).toBe(status)
  })
})

it.each([
  ['cloud-platform', 'Cloud platform'],
  ['own-slug', 'Own slug'],
  ['other_one', 'Other one'],
  ['-', '-'],
])('the platform %s reads as %s', (slug, name) => {
  expect(platformName(slug)).toBe(name)
})
