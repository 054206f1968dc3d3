import type { Writable } from 'node:stream'
import pg from 'pg'
import type { Flight } from './flight.ts'

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
    let left = flights.length
    let isBroken = false
    const ended = (error: Error | null) => {
      // What the database itself refused leaves the connection as good as it was.
      if (error && !(error instanceof pg.DatabaseError)) isBroken = true
      left -= 1
      if (left === 0) release(isBroken)
    }
    inOnePacket(client)
    for (const flight of flights) {
      flight.onEnd = ended
      client.query(flight)
    }
  })
}

/** What is sent before the process looks at its sockets again leaves together, and not statement by statement. */
export function inOnePacket(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}
