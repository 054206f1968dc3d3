import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { titleOf } from './titles.ts'

const CONSOLE = join(import.meta.dirname, '../../../app/(console)')
const pages = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(^|\/)page\.tsx$/.test(file))
  .map((file) => ({
    path: `/${dirname(file)}`.replace(/\/\.$/, '/'),
    text: readFileSync(join(CONSOLE, file), 'utf8'),
  }))

/** Returns the title that a page declares, as a literal or as a constant. */
function declaredTitle(text: string): string | undefined {
  const [, quoted, named] = /Metadata = \{ title(?:: (?:'([^']+)'|(\w+)))? \}/.exec(text) ?? []
  // A page with a dynamic title has its kind's title until then.
  const kind = named ?? (text.includes('generateMetadata') ? 'TITLE' : 'title')
  return quoted ?? new RegExp(`const ${kind} = '([^']+)'`).exec(text)?.[1]
}

describe('the title of a loading screen', () => {
  test.each(pages.filter(({ path }) => !path.includes('[')))(
    'is the title of the page for $path',
    ({ path, text }) => {
      expect(declaredTitle(text)).toBeDefined()
      expect(titleOf(path)).toBe(declaredTitle(text))
    },
  )

  test.each(pages.filter(({ path }) => path.includes('[')))(
    'is the kind of the thing for $path',
    ({ path }) => {
      const kind = titleOf(path.replace(/\[\w+\]/, 'some-id'))
      expect(['Asset', 'Invoice', 'Webhook']).toContain(kind)
    },
  )

  test('is undefined for other paths', () => {
    expect(pages.length).toBeGreaterThan(15)
    for (const path of ['/sign-in', '/billing/v1/assets', '/constructor', '/assets/a/b', '/invoices.csv'])
      expect(titleOf(path)).toBeUndefined()
  })
})
