import { describe, expect, test } from 'vitest'
import { platformTable, slugOf } from './platforms.ts'

describe('platformTable', () => {
  test.each([
    ['AWS', 'web-services'],
    ['aws', 'web-services'],
    ['Amazon Web Services, Inc.', 'web-services'],
    ['Google Cloud', 'cloud-platform'],
    ['Google Workspace', 'workspace-suite'],
    ['Microsoft 365', 'office-suite'],
    ['Oracle', 'oracle'],
    ['Café & Co. KG', 'cafe-co-kg'],
  ])('%s is %s by default', (provider, platform) => {
    expect(platformTable()(provider)).toBe(platform)
  })

  test("prefers the operator's pairs, in any case, and accepts = in the name", () => {
    const platforms = platformTable(['aws=cloud-platform', 'A=B Hosting=b-hosting'])
    expect(platforms('AWS')).toBe('cloud-platform')
    expect(platforms('a=b hosting')).toBe('b-hosting')
    expect(platforms('Google Cloud')).toBe('cloud-platform')
  })

  test.each(['AWS', '=x', 'AWS=', 'AWS=Web Services', 'AWS=web|x', 'AWS=-a'])(
    'refuses the pair %s',
    (pair) => {
      expect(() => platformTable([pair])).toThrow(`"${pair}"`)
    },
  )
})

test('a slug is never empty, never long, and its own slug', () => {
  for (const name of ['云计算', '!!!', 'x'.repeat(500), `${'ab '.repeat(20)}c`]) {
    const slug = slugOf(name)
    expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(slug.length).toBeLessThanOrEqual(60)
    expect(slugOf(slug)).toBe(slug)
  }
  expect(slugOf('云计算')).not.toBe(slugOf('!!!'))
})
