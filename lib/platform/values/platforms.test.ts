import { expect, it } from 'vitest'
import { platformName } from './platforms.ts'

it.each([
  ['cloud-platform', 'Cloud platform'],
  ['own-slug', 'Own slug'],
  ['other_one', 'Other one'],
  ['-', '-'],
])('The platform %s is displayed as %s', (slug, name) => {
  expect(platformName(slug)).toBe(name)
})
