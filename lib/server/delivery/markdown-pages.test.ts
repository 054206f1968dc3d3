import { expect, test } from 'vitest'
import { markdownPath } from './markdown-pages.ts'

test.each([
  ['/developers.md', undefined, '/developers/markdown'],
  ['/developers', 'text/markdown', '/developers/markdown'],
  ['/developers/errors.md', 'text/html', '/developers/markdown/errors'],
  ['/developers/errors', 'text/markdown, */*;q=0.1', '/developers/markdown/errors'],
  ['/developers/errors', 'text/html, text/markdown', undefined],
  ['/developers/errors', undefined, undefined],
  ['/developers/markdown', 'text/markdown', undefined],
  ['/developers/markdown/errors', 'text/markdown', undefined],
  ['/developers/a/b.md', undefined, undefined],
  ['/developersx.md', undefined, undefined],
  ['/assets.md', 'text/markdown', undefined],
])('%s with Accept: %s is found at %s', (path, accept, expected) => {
  expect(markdownPath(path, accept)).toBe(expected)
})
