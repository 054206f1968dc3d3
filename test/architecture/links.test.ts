import { expect, test } from 'vitest'
import { projectFiles, read, unmatched } from './scan.ts'

const SCREENS = [/^app\/.*\.tsx$/, /^components\/.*\.tsx$/]

const withLinks = projectFiles().filter(
  (file) => file.endsWith('.tsx') && read(file).includes("from 'next/link'"),
)
const screens = withLinks.filter((file) => SCREENS.some((one) => one.test(file)))

// A visible link fetches nothing: components/shell/navigation/prefetch-on-intent.ts fetches the page that the user is
// about to open.
test('no link prefetches its page when it becomes visible', () => {
  const links = screens.flatMap((file) => eager(read(file)).map((link) => `${file}: ${link}`))
  expect(links).toEqual([])
})

test('all links are checked, and a folder of screens that has moved is found', () => {
  expect(withLinks).toEqual(screens)
  expect(unmatched(SCREENS, withLinks)).toEqual([])
  const moved = withLinks.map((file) => file.replace(/^components\//, 'screens/'))
  expect(unmatched(SCREENS, moved)).toEqual([String(SCREENS[1])])
})

test('a link that prefetches is found', () => {
  expect(eager('<Link href="/" onClick={() => a > b} className="x">')).toHaveLength(1)
  expect(eager('<Link href="/"\n  prefetch={true}>')).toHaveLength(1)
  expect(eager('<Link href="/" onClick={() => a > b} prefetch={false}>')).toEqual([])
  expect(eager('<Link {...rest} prefetch={false} /> <LinkHint />')).toEqual([])
})

/** Returns the `Link` tags of a text without `prefetch={false}`. */
function eager(text: string): string[] {
  return [...text.matchAll(/<Link(?=[\s>])/g)]
    .map(({ index }) => tagAt(text, index))
    .filter((tag) => !tag.includes('prefetch={false}'))
}

/** Returns a tag up to its end, which is outside of all braces. */
function tagAt(text: string, begin: number): string {
  let depth = 0
  for (let at = begin; at < text.length; at++) {
    if (text[at] === '{') depth++
    if (text[at] === '}') depth--
    if (text[at] === '>' && depth === 0) return text.slice(begin, at + 1)
  }
  return text.slice(begin)
}
