import 'server-only'
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/** Fewer characters than that find the start of a text only: nearly each text has each letter somewhere. */
const MIN_PART_LENGTH = 3

/** Whether a search is so short that it finds starts only. */
export function isShort(search: string): boolean {
  return [...search].length < MIN_PART_LENGTH
}

/** Text as searches compare it: in small letters, by the function `folded` of the migration `invoice-tokens`. */
export function normalizedText(text: SQLWrapper): SQL {
  return sql`folded(${text})`
}

/** Whether a text has the search in it, or starts with a short one; in any case of letters. */
export function hasPart(text: SQLWrapper, search: string): SQL {
  return isShort(search)
    ? hasStart(text, search)
    : sql`strpos(${normalizedText(text)}, ${searchText(search)}) > 0`
}

/** Whether a text starts with the search, in any case of letters. */
export function hasStart(text: SQLWrapper, search: string): SQL {
  return sql`starts_with(${normalizedText(text)}, ${searchText(search)})`
}

function searchText(search: string): SQL {
  return normalizedText(sql`${search}::text`)
}
