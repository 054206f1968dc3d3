import { errorCode, toProblem } from '#lib/platform/api/problem.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { type Database, database } from '../client.ts'

/** Where reads go: to our own server, or to its replica. */
type Pools = Pick<Database, 'reads' | 'streams'>

/**
 * Reads from the replica where there is one that is new enough and shows what was written for the customer, else from
 * our own server. What fails there because of the replica is read again from our own.
 */
export async function readOld<T>(customerId: string, read: (from: Pools) => Promise<T>): Promise<T> {
  const { replica, ...own } = database()
  if (!replica || !(await replica.shows(customerId))) return read(own)
  try {
    return await read(replica)
  } catch (error) {
    return read(insteadOf(error))
  }
}

/** The same for what is sent piece by piece: it is begun again where no piece was there yet. */
export async function* streamOld<T>(
  customerId: string,
  stream: (from: Pools) => AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  const { replica, ...own } = database()
  if (!replica || !(await replica.shows(customerId))) return yield* stream(own)
  const there = stream(replica)
  let first: IteratorResult<T, void>
  try {
    first = await there.next()
  } catch (error) {
    return yield* stream(insteadOf(error))
  }
  try {
    if (first.done) return
    yield first.value
    yield* there
  } finally {
    await there.return()
  }
}

// Of these the connection itself is still good: replay wanted the rows or the table, or took too long for others.
const OF_REPLAY = /^(40|55)/

/**
 * Our own server, in the place of a replica whose error this is.
 * @throws the error where our own server would say the same: a statement of ours that is wrong, or takes too long
 */
function insteadOf(error: unknown): Pools {
  const code = errorCode(error)
  if (toProblem(error).code !== 'service_unavailable' || code === '57014') throw error
  const { replica, ...own } = database()
  if (!code || !OF_REPLAY.test(code)) replica?.broke()
  log().info({ code, reason: reasonOf(error) }, 'not read from the replica: read again')
  return own
}
