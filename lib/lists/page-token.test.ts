import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Cursor, pageOf, pageToken, readPageToken } from './page-token.ts'

const Key = z.tuple([z.string()])
const filters = ['things', { platform: ['a'] }]

describe('a page token', () => {
  it('leads where it was made to lead', () => {
    const token = pageToken({ key: ['x'], direction: 'newer' }, filters)
    expect(readPageToken(token, filters, Key)).toEqual({ key: ['x'], direction: 'newer' })
    expect(token).toMatch(/^[\w-]+$/)
  })

  it('fits no other filters', () => {
    const token = pageToken({ key: ['x'], direction: 'older' }, filters)
    expect(() => readPageToken(token, ['things', { platform: ['b'] }], Key)).toThrow('other filters')
  })

  it('is refused when malformed, and never anything else than refused', () => {
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

/** Pages through `rows` (newest first) as the stores do, and gives back what each page showed. */
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
    return pageOf(read(cursor), size, cursor, (row) => [String(row)], filters)
  }
  const pages = [page()]
  for (let last = pages[0]; last?.pageToken; last = pages.at(-1)) pages.push(page(last.pageToken))
  return { pages, page }
}

describe('pageOf', () => {
  it('shows each row once on the way down, and the same pages on the way back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 7 }), (count, size) => {
        const rows = Array.from({ length: count }, (_, index) => count - index)
        const { pages, page } = walk(rows, size)
        expect(pages.flatMap(({ rows: shown }) => shown)).toEqual(rows)
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
