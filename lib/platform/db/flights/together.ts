import type { Writable } from 'node:stream'
import pg from 'pg'
import { COMMIT } from '../connections/opening.ts'
import { Flight } from './flight.ts'

/** So many flights share a connection at most: each waits for those before it. */
const MOST = 8

/** Of each pool the flights that leave at the end of this turn of the event loop. */
const waiting = new WeakMap<pg.Pool, Flight[]>()

/** Sends a flight over a connection of its own. */
export function sendAlone(pool: pg.Pool, flight: Flight): void {
  depart(pool, [flight])
}

/**
 * Sends a flight over one connection with those that other requests send in the same turn of the event loop: to write to
 * a socket, and to wake up who reads it, costs more than what most statements cost. Each is a transaction of its own and
 * fails alone, but waits for those before it: so this is for what reads by a key, and never long.
 */
export function sendTogether(pool: pg.Pool, flight: Flight): void {
  const others = waiting.get(pool)
  if (others) {
    if (others.push(flight) === MOST) waiting.delete(pool)
    return
  }
  const flights = [flight]
  waiting.set(pool, flights)
  // By then all requests that have come in are there.
  setImmediate(() => {
    if (waiting.get(pool) === flights) waiting.delete(pool)
    depart(pool, flights)
  })
}

function depart(pool: pg.Pool, flights: readonly Flight[]): void {
  pool.connect((noConnection, client, release) => {
    if (!client) {
      for (const flight of flights) flight.handleError(noConnection as Error)
      return
    }
    endEach(flights)
    const last = flights.at(-1)
    let left = flights.length
    let isBroken = false
    inOnePacket(client)
    for (const flight of flights) {
      flight.onEnd = (error) => {
        // What the database itself refused leaves the connection as good as it was.
        if (error && !(error instanceof pg.DatabaseError)) isBroken = true
        left -= 1
        if (left > 0) return
        // What failed did not come to its COMMIT. Whoever has the connection next waits behind this.
        if (error && !isBroken && last?.isOpened)
          client.query('ROLLBACK', (failure) => release(failure ?? false))
        else release(isBroken)
      }
      client.query(flight)
    }
  })
}

/**
 * Each customer's transaction ends by a COMMIT under the next flight's Sync, or under its own where it is the last one:
 * it has no answer of its own to wait for, and makes a ROLLBACK of what has failed, so that the next one begins anew.
 */
function endEach(flights: readonly Flight[]): void {
  for (const [index, flight] of flights.entries()) {
    const before = flights[index - 1]
    const isLast = index === flights.length - 1
    if (isLast && flight.isOpened) flight.close(COMMIT, 'at the end')
    if (before?.isOpened) flight.close(COMMIT, 'first')
  }
}

/**
 * Sends one statement of a transaction. One that has a name, or is to be prepared, is a flight: it takes back a name
 * that was left by a transaction which failed before. A pooler would not know that nothing was prepared under it.
 */
export function sendOne(
  client: pg.PoolClient,
  { values: own = [], name, ...statement }: pg.QueryConfig,
  { values = own, isPrepared = name !== undefined }: { values?: unknown[]; isPrepared?: boolean } = {},
): Promise<unknown> {
  inOnePacket(client)
  if (!isPrepared) return client.query(statement, values)
  const flight = new Flight()
  const answer = flight.add(statement, values)
  client.query(flight)
  return answer
}

/** What is sent before the process looks at its sockets again leaves together, and not statement by statement. */
export function inOnePacket(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}
