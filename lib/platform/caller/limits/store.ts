import 'server-only'
import { database } from '#lib/platform/db/client.ts'
import { open } from '#lib/platform/db/connections.ts'
import { Flight, sendAlone } from '#lib/platform/db/pipeline.ts'
import { withoutValues } from '#lib/platform/db/statements.ts'
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

// Three statements, and not one with the others inside, which a database that is spread over several machines refuses.
// Of two at once the second waits for the row in the second of them. So the third one comes after that, and what it says
// of the time is of a moment at which it has the row: a share is always one of the window that it says. The values are:
// customer $1, subject $2, whether of one caller $3, wanted $4, waiting $5, seconds of a window $6, the usual limit $7,
// how many times as much $8.

const OPEN = `INSERT INTO limit_windows (customer_id, subject, window_number, taken, share, quota)
  VALUES ($1, $2, 0, 0, 0, 0) ON CONFLICT DO NOTHING`

const HOLD = 'SELECT FROM limit_windows WHERE customer_id = $1 AND subject = $2 FOR NO KEY UPDATE'

/** The window of this moment, by the database's clock. */
const NOW = 'floor(extract(epoch FROM statement_timestamp()) / $6)::bigint'
const BEFORE = `CASE WHEN w.window_number >= ${NOW} THEN w.taken ELSE 0 END`
const LEFT = `greatest(0, n.quota - ${BEFORE})`
const GIVEN = `least(${LEFT}, greatest($5::int, least($4::int, ${LEFT} / 10)))`

const TAKE = (kind: Kind) => `
  UPDATE limit_windows w SET window_number = greatest(${NOW}, w.window_number), taken = ${BEFORE} + ${GIVEN},
    share = ${GIVEN}, quota = n.quota
  FROM (SELECT coalesce(max(l.${kind}), $7::int)
      * CASE WHEN $3::boolean THEN 1 ELSE coalesce(max(l.together), $8::int) END AS quota
    FROM customer_limits l WHERE l.customer_id = $1) n
  WHERE w.customer_id = $1 AND w.subject = $2
  RETURNING w.window_number::float8 AS "windowNumber", w.share, w.taken, w.quota,
    (1000 * ((w.window_number + 1) * $6 - extract(epoch FROM statement_timestamp())))::float8 AS "leftMs"`

const takes = Object.fromEntries(KINDS.map((kind) => [kind, { text: TAKE(kind) }])) as Record<
  Kind,
  { text: string }
>

/** How much a share has to be, and how long a window is, in seconds. */
export type Asked = { want: number; waiting: number; seconds: number }

/**
 * Takes a share of what is left of the window at hand. BEGIN, the customer's name, the statements and COMMIT leave
 * together: one round trip, in which nobody waits for a disk, because the table is unlogged.
 */
export async function takeShare(subject: Subject, asked: Asked): Promise<Share> {
  // A window that is removed as too old between the first statement and the second is opened anew.
  const share = (await takeOnce(subject, asked)) ?? (await takeOnce(subject, asked))
  if (!share) throw new Error('The window of a limit was removed twice while a share was taken.')
  return share
}

async function takeOnce(
  { customerId, kind, caller, usual }: Subject,
  { want, waiting, seconds }: Asked,
): Promise<Share | undefined> {
  const { keys } = database()
  const row = [customerId, caller === undefined ? kind : `${kind} ${caller}`]
  const asked = [caller !== undefined, want, waiting, seconds, usual.limit, usual.together]
  const flight = new Flight()
  const opened = open(flight, 'console_keys', customerId, 'late write')
  const before = [flight.add({ text: OPEN }, row), flight.add({ text: HOLD }, row)]
  const taken = flight.add(takes[kind], [...row, ...asked])
  sendAlone(keys, flight)
  for (const one of [opened, ...before]) one.catch(() => {})
  try {
    const { rows } = await taken
    await opened
    return rows[0] as Share | undefined
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
