import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Cursor, type ListOf, pageOf, pageToken, readPageToken } from './paging.ts'

const Key = z.tuple([z.string()])
const filters: ListOf = ['northwind', 'things', { platform: ['a'] }]

describe('a page token', () => {
  it('restores its cursor', () => {
    const token = pageToken({ key: ['x'], direction: 'newer' }, filters)
    expect(readPageToken(token, filters, Key)).toEqual({ key: ['x'], direction: 'newer' })
    expect(token).toMatch(/^[\w-]+$/)
  })

  it.each<[string, ListOf]>([
    ['other filters', ['northwind', 'things', { platform: ['b'] }]],
    ['another list', ['northwind', 'others', { platform: ['a'] }]],
    ['another customer', ['harbor', 'things', { platform: ['a'] }]],
  ])('is refused by a list of %s', (_, list) => {
    const token = pageToken({ key: ['x'], direction: 'older' }, filters)
    expect(() => readPageToken(token, list, Key)).toThrow('other filters')
  })

  it('is sealed: unreadable, refused when changed, and equal for equal cursors', () => {
    const cursor: Cursor = { key: ['northwind-secret'], direction: 'older' }
    const token = pageToken(cursor, filters)
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toMatch(/secret|older/)
    expect(pageToken(cursor, filters)).toBe(token)
    const bytes = Buffer.from(token, 'base64url')
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => readPageToken(changed.toString('base64url'), filters, Key)).toThrow('malformed')
    }
    const plain = Buffer.from(JSON.stringify(['older', 'x'.repeat(16), ['x']])).toString('base64url')
    expect(() => readPageToken(plain, filters, Key)).toThrow('malformed')
  })

  it('is refused when malformed, and never causes any other error', () => {
    const code = expect.objectContaining({ code: 'page_token_invalid' })
    for (const token of ['', 'x', '%%', 'bnVsbA', 'W10', Buffer.from('[1,2,3]').toString('base64url')]) {
      expect(() => readPageToken(token, filters, Key)).toThrow(code)
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => readPageToken(text, filters, Key)).toThrow(code)
      }),
    )
  })
})

/** Pages through `rows` (newest first) as the stores do, and returns the rows of each page. */
function walk(rows: number[], size: number) {
  const read = (cursor: Cursor | undefined) => {
    if (!cursor) return rows.slice(0, size + 1)
    const at = Number(cursor.key[0])
    const beyond =
      cursor.direction === 'older' ? rows.filter((row) => row < at) : rows.filter((row) => row > at).reverse()
    return beyond.slice(0, size + 1)
  }
  const page = (token?: string) => {
    const cursor = token === undefined ? undefined : readPageToken(token, filters, Key)
    return pageOf(read(cursor), { size, cursor, keyOf: (row) => [String(row)], list: filters })
  }
  const pages = [page()]
  for (let last = pages[0]; last?.pageToken; last = pages.at(-1)) pages.push(page(last.pageToken))
  return { pages, page }
}

describe('pageOf', () => {
  it('shows each row once forward, and the same pages backward', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 7 }), (count, size) => {
        const rows = Array.from({ length: count }, (_, index) => count - index)
        const { pages, page } = walk(rows, size)
        expect(pages.flatMap(({ rows: pageRows }) => pageRows)).toEqual(rows)
        expect(pages[0]?.previousPageToken).toBeUndefined()
        for (let at = pages.length - 1; at > 0; at--) {
          const back = page(pages[at]?.previousPageToken)
          expect(back.rows).toEqual(pages[at - 1]?.rows)
          expect(back.pageToken).toBeDefined()
          expect(back.previousPageToken === undefined).toBe(at === 1)
        }
      }),
    )
  })
})
