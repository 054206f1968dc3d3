import 'server-only'
import { hash } from 'node:crypto'
import { z } from 'zod'
import { Problem } from '#lib/api/problem.ts'

/**
 * Where a page starts: beyond this row's sort key, on or back in the list's order. They are called as in the usual
 * one, newest first: `older` leads on and `newer` back.
 */
export type Cursor = { key: readonly string[]; direction: 'older' | 'newer' }

const Token = z.tuple([
  z.enum(['older', 'newer']),
  z.string().length(16),
  z.array(z.string().max(400)).max(4),
])

/** The sort key of a list that is ordered by time of creation: microseconds since 1970 that PostgreSQL can hold, and an id. */
export const TimeKey = z.tuple([
  z.string().regex(/^\d{1,17}$/),
  z
    .string()
    .max(300)
    .regex(/^[^\0]+$/),
])

/** Makes the opaque token. `filters` is whatever selects and orders the rows: a token fits no others. */
export function pageToken(cursor: Cursor, filters: unknown): string {
  return Buffer.from(JSON.stringify([cursor.direction, digest(filters), cursor.key])).toString('base64url')
}

/**
 * Reads a token that `pageToken` made for the same filters.
 * @param key checks the sort key's parts, so that a forged token can't reach the database
 * @throws Problem `page_token_invalid`
 */
export function readPageToken(token: string, filters: unknown, key: z.ZodType<readonly string[]>): Cursor {
  const read = Token.safeParse(parse(token))
  if (!read.success) throw invalid('The page token is malformed.')
  const [direction, madeFor, parts] = read.data
  if (madeFor !== digest(filters))
    throw invalid('The page token belongs to a list with other filters or another order.')
  const checked = key.safeParse(parts)
  if (!checked.success) throw invalid('The page token is malformed.')
  return { direction, key: checked.data }
}

function invalid(detail: string): Problem {
  return new Problem('page_token_invalid', detail, { errors: [{ parameter: 'pageToken', detail }] })
}

function parse(token: string): unknown {
  try {
    if (!/^[\w-]+$/.test(token)) return undefined
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(token, 'base64url')))
  } catch {
    return undefined
  }
}

function digest(filters: unknown): string {
  return hash('sha256', JSON.stringify(filters), 'base64url').slice(0, 16)
}

/**
 * Cuts one page out of rows that were read with one row more than asked for, and names its neighbours.
 * @param rows in the direction of reading: in the list's order when older, the other way round when newer
 */
export function pageOf<Row>(
  rows: Row[],
  size: number,
  cursor: Cursor | undefined,
  keyOf: (row: Row) => string[],
  filters: unknown,
): { rows: Row[]; pageToken?: string; previousPageToken?: string } {
  const more = rows.length > size
  const back = cursor?.direction === 'newer'
  const page = back ? rows.slice(0, size).reverse() : rows.slice(0, size)
  const first = page[0]
  const last = page.at(-1)
  const token = (row: Row, direction: Cursor['direction']) =>
    pageToken({ key: keyOf(row), direction }, filters)
  return {
    rows: page,
    ...(last && (more || back) ? { pageToken: token(last, 'older') } : {}),
    ...(first && (back ? more : cursor) ? { previousPageToken: token(first, 'newer') } : {}),
  }
}
