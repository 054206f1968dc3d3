import { DAY_MS, dayBegin, LAST_DAY } from '#lib/platform/values/days.ts'
import type { DateRange } from './date-range.ts'
import { changed, type ListView, selectionOf } from './view.ts'

/**
 * Precision of a row's time, which decides how the days of a view are written as times: `day`, the midnight of its day,
 * or `moment`, any time within the day.
 */
type Grain = 'day' | 'moment'

/** Tokens of the next and the previous page in an answer. */
type Neighbours = { pageToken?: string | undefined; previousPageToken?: string | undefined }

/** Returns a path with a query string, which is passed without a question mark. */
export function pathWith(path: string, search: string): string {
  return search ? `${path}?${search}` : path
}

/**
 * Returns functions for the addresses of a list screen and the days of its views.
 * @param search serializes a view as the query string of its API call
 */
export function listScreen<View extends ListView>(
  path: string,
  search: (view: View) => string,
  grain: Grain = 'moment',
) {
  /** Returns the address of a view. */
  const hrefOf = (view: View) => pathWith(path, search(view))

  /** Returns the addresses of the next and the previous page of an answer; undefined where there is none. */
  const pagesOf = (view: View, { pageToken, previousPageToken }: Neighbours = {}) => ({
    newer: previousPageToken && hrefOf({ ...view, pageToken: previousPageToken }),
    older: pageToken && hrefOf({ ...view, pageToken }),
  })

  /** Returns whether a view excludes any row. */
  const isFiltered = (view: View) => search(selectionOf(view) as View) !== ''

  /** Returns the days whose rows a view shows. Times within a day are rounded like the service's. */
  const rangeOf = ({ minCreationTime: min, maxCreationTime: max }: View): DateRange => {
    const begin = (at: number) => dayBegin(Math.min(at, LAST_DAY))
    const offsetMs = grain === 'day' ? DAY_MS - 1 : 0
    return {
      from: min === undefined ? undefined : begin(min + offsetMs),
      to: max === undefined ? undefined : begin(max),
    }
  }

  /** Returns the view with a range of days, including all of the last day. */
  const withRange = (view: View, { from, to }: DateRange): View => {
    const end = to === undefined || grain === 'day' ? to : to + DAY_MS - 1
    return changed<ListView>(view, { minCreationTime: from, maxCreationTime: end }) as View
  }

  return { hrefOf, pagesOf, isFiltered, rangeOf, withRange }
}
