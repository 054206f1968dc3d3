import 'server-only'
import { database } from '#lib/db/client.ts'
import { open } from '#lib/db/connections/opening.ts'
import { withoutValues } from '#lib/db/failure.ts'
import { Flight } from '#lib/db/flights/flight.ts'
import { sendAlone } from '#lib/db/flights/together.ts'
import type { CustomerId } from '../rules.ts'
import { KINDS, type Kind } from './kind.ts'

/** Whose number it is: of one caller, or of all of the customer's together. */
export type Subject = {
  customerId: CustomerId
  /** Its column in `customer_limits` too. */
  kind: Kind
  /** `key:<id>` or `session:<digest>`; absent: all together. */
  caller?: string
  /** Where the customer has none of its own: the limit, and how many times as much all have together. */
  usual: { limit: number; together: number }
}

/** What a process was given of a window: it may admit so many requests before the window ends. */
export type Share = {
  windowNumber: number
  share: number
  /** Given to all processes, this share among it. */
  taken: number
  /** Of the whole window. */
  quota: number
  /** Milliseconds until the window ends, at the moment at which the share was given. */
  leftMs: number
}

/** The window of this moment, by the database's clock: read once in a statement, or it could be two windows. */
const NOW = (kind: Kind) => `
  SELECT floor(extract(epoch FROM clock_timestamp()) / $6)::bigint AS at,
    (SELECT coalesce(max(l.${kind}), $7::int) * CASE WHEN $3::text IS NULL THEN coalesce(max(l.together), $8::int) ELSE 1 END
      FROM customer_limits l WHERE l.customer_id = $1) AS quota`

const GIVEN = (left: string) => `least(${left}, greatest($5::int, least($4::int, ${left} / 10)))`

// Of two at once the second waits for the row, and reads the clock after it has it: a share is always one of the window
// that it says. The values are: customer $1, subject $2, caller or null $3, wanted $4, waiting $5, seconds of a window
// $6, the usual limit $7, how many times as much $8.
const TAKE = (kind: Kind) => `
  INSERT INTO limit_windows AS w (customer_id, subject, window_number, taken, share, quota)
  SELECT $1, $2 || coalesce(' ' || $3::text, ''), n.at, ${GIVEN('n.quota')}, ${GIVEN('n.quota')}, n.quota FROM (${NOW(kind)}) n
  ON CONFLICT (customer_id, subject) DO UPDATE SET (window_number, taken, share, quota) = (
    SELECT u.at, u.before + u.share, u.share, u.quota FROM (
      SELECT t.at, t.before, t.quota, ${GIVEN('t.left')} AS share FROM (
        SELECT greatest(n.at, w.window_number) AS at, n.quota,
          CASE WHEN w.window_number >= n.at THEN w.taken ELSE 0 END AS before,
          greatest(0, n.quota - CASE WHEN w.window_number >= n.at THEN w.taken ELSE 0 END) AS left
        FROM (${NOW(kind)}) n) t) u)
  RETURNING window_number::float8 AS "windowNumber", share, taken, quota,
    (1000 * ((window_number + 1) * $6 - extract(epoch FROM clock_timestamp())))::float8 AS "leftMs"`

const statements = Object.fromEntries(KINDS.map((kind) => [kind, { text: TAKE(kind) }])) as Record<
  Kind,
  { text: string }
>

/** How much a share has to be, and how long a window is, in seconds. */
export type Asked = { want: number; waiting: number; seconds: number }

/**
 * Takes a share of what is left of the window at hand. BEGIN, the customer's name, the statement and COMMIT leave
 * together: one round trip, in which nobody waits for a disk, because the table is unlogged.
 */
export async function takeShare(
  { customerId, kind, caller, usual }: Subject,
  { want, waiting, seconds }: Asked,
): Promise<Share> {
  const { keys } = database()
  const values = [customerId, kind, caller ?? null, want, waiting, seconds, usual.limit, usual.together]
  const flight = new Flight()
  const opened = open(flight, 'console_keys', customerId, 'late write')
  const taken = flight.add(statements[kind], values)
  sendAlone(keys, flight)
  opened.catch(() => {})
  try {
    const { rows } = await taken
    await opened
    return rows[0] as Share
  } catch (error) {
    throw withoutValues(error)
  }
}

/** Removes what is left of callers that are gone, after an hour. Says of how many. */
export async function removePastWindows(seconds: number): Promise<number> {
  const { rowCount } = await database().jobs.query(
    "DELETE FROM limit_windows WHERE window_number < floor(extract(epoch FROM now() - interval '1 hour') / $1)",
    [seconds],
  )
  return rowCount ?? 0
}
