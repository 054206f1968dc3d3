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

/** What a page says that it is called: at once, or by a constant of its own. */
function declaredTitle(text: string): string | undefined {
  const [, quoted, named] = /Metadata = \{ title(?:: (?:'([^']+)'|(\w+)))? \}/.exec(text) ?? []
  // A page that names what it shows is called by its kind until then.
  const kind = named ?? (text.includes('generateMetadata') ? 'TITLE' : 'title')
  return quoted ?? new RegExp(`const ${kind} = '([^']+)'`).exec(text)?.[1]
}

describe('the title while a screen is awaited', () => {
  test.each(pages.filter(({ path }) => !path.includes('[')))(
    'of $path is that of its page',
    ({ path, text }) => {
      expect(declaredTitle(text)).toBeDefined()
      expect(titleOf(path)).toBe(declaredTitle(text))
    },
  )

  test.each(pages.filter(({ path }) => path.includes('[')))('of $path is its kind', ({ path }) => {
    const kind = titleOf(path.replace(/\[\w+\]/, 'some-id'))
    expect(['Asset', 'Invoice']).toContain(kind)
  })

  test('is of no other path', () => {
    expect(pages.length).toBeGreaterThan(15)
    for (const path of ['/sign-in', '/billing/v1/assets', '/constructor', '/assets/a/b', '/invoices.csv'])
      expect(titleOf(path)).toBeUndefined()
  })
})
