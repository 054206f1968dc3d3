import 'server-only'

// The statements of budgets.ts, each of which stands alone, as the role `console_jobs`. They go by the database's clock.
// Of two at once the second waits for the row, and sees what the first one left: its own time may be earlier then, so
// that time never goes back in the row.

/** Whose budget it is, at which API, and how large: tokens, each for one call. */
export type Account = {
  vendor: string
  account: string
  api: string
  capacity: number
  perSecond: number
  reserve: number
}

/** `wait` is in seconds, and 0 where a call could be made. */
export type Turn = { isTaken: boolean; isClosed: boolean; wait: number }

// The values are: vendor $1, account $2, API $3, capacity $4, tokens a second $5, the reserve to be left $6.
const AVAILABLE = `least($4::float8,
  b.tokens + $5::float8 * greatest(0, extract(epoch FROM now() - b.refilled_at)::float8))`
const NEEDED = '1 + $6::float8'
const WAIT = `greatest(0, (${NEEDED} - ${AVAILABLE}) / $5::float8, extract(epoch FROM b.closed_until - now())::float8)`
const OWN = '(b.vendor, b.account, b.api) = ($1::text, $2::text, $3::text)'
const IS_CLOSED = 'coalesce(b.closed_until > now(), false)'

/** Takes a token. A row that somebody has just written is not seen yet by the wait: then it is that for one token. */
export const TAKE = `
  WITH taken AS (
    INSERT INTO vendor_budgets AS b (vendor, account, api, tokens, refilled_at)
    VALUES ($1, $2, $3, $4::float8 - 1, now())
    ON CONFLICT (vendor, account, api) DO UPDATE
      SET tokens = ${AVAILABLE} - 1, refilled_at = greatest(b.refilled_at, now())
      WHERE ${AVAILABLE} >= ${NEEDED} AND NOT ${IS_CLOSED}
    RETURNING 1
  )
  SELECT t.is_taken AS "isTaken", ${IS_CLOSED} AS "isClosed",
    CASE WHEN t.is_taken THEN 0 ELSE greatest(1 / $5::float8, ${WAIT}) END AS wait
  FROM (SELECT EXISTS (SELECT FROM taken) AS is_taken) t LEFT JOIN vendor_budgets b ON ${OWN}`

/** No row where nobody has called yet. */
export const SPARE = `
  SELECT false AS "isTaken", ${IS_CLOSED} AS "isClosed", ${WAIT} AS wait FROM vendor_budgets b WHERE ${OWN}`

/** As Google advises: 5 seconds at first, then twice as long each time. */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = 600

/** Closes until $4 seconds from now, or where those are null for a time of our own; never for less than before. */
export const CLOSE = `
  UPDATE vendor_budgets b
  SET closed_until = greatest(b.closed_until, now() + make_interval(secs => coalesce($4::float8, own.pause))),
    closed_for = CASE WHEN $4 IS NULL THEN own.pause ELSE b.closed_for END
  FROM (
    SELECT CASE
      -- Several calls under way are told the same thing.
      WHEN b.closed_until > now() THEN greatest(b.closed_for, ${FIRST_PAUSE})
      WHEN b.closed_until > now() - make_interval(secs => 2 * b.closed_for)
        THEN least(greatest(2 * b.closed_for, ${FIRST_PAUSE}), ${LONGEST_PAUSE})
      ELSE ${FIRST_PAUSE} END AS pause
    FROM vendor_budgets b WHERE ${OWN}
  ) own
  WHERE ${OWN}`
