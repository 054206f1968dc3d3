import 'server-only'
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/**
 * Shortest search, in characters, that matches inside of a text; shorter ones match its start only, since nearly every
 * text contains every letter.
 */
const MIN_PART_LENGTH = 3

/** Returns whether a search is so short that it matches beginnings only. */
export function isShort(search: string): boolean {
  return [...search].length < MIN_PART_LENGTH
}

/** Returns text as searches compare it: in lower case, by the function `folded` of the migration `invoice-tokens`. */
export function normalizedText(text: SQLWrapper): SQL {
  return sql`folded(${text})`
}

/** Returns the SQL condition that a text contains the search, or begins with it if it is short; case-insensitive. */
export function hasPart(text: SQLWrapper, search: string): SQL {
  return isShort(search)
    ? hasStart(text, search)
    : sql`strpos(${normalizedText(text)}, ${searchText(search)}) > 0`
}

/** Returns the SQL condition that a text begins with the search; case-insensitive. */
export function hasStart(text: SQLWrapper, search: string): SQL {
  return sql`starts_with(${normalizedText(text)}, ${searchText(search)})`
}

function searchText(search: string): SQL {
  return normalizedText(sql`${search}::text`)
}
