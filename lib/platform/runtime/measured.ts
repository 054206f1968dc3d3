import { type Channel, channel } from 'node:diagnostics_channel'

/** What kind of transaction it is: see lib/platform/db/scope.ts. */
type Scope = 'read' | 'at once' | 'write' | 'stream'

/** What is measured, and what is told of each time. Times in seconds. */
export type Measured = {
  /** A request that has ended; `route` is its contract's path, or what kind of thing was asked for. */
  request: { route: string; method: string; status: number; seconds: number }
  /** A call to a vendor: the status of its answer, or `unsent`, `cut`. */
  vendorCall: { host: string; method: string; outcome: string; seconds: number }
  /**
   * A customer's transaction, the wait for a connection with it, and how many statements its work has sent: `thrown`
   * where the work, or its end, threw.
   */
  transaction: { scope: Scope; statements: number; outcome: 'done' | 'thrown'; seconds: number }
  /** A request that was refused because a limit was used up: which one. */
  limit: { limit: string }
  signIn: { outcome: 'opened' | 'failed' | 'throttled' }
  job: { job: string; outcome: 'done' | 'failed'; seconds: number }
  mail: { outcome: string }
}

// By name: a page and a route handler have separate copies of this module in a production build.
const channels = new Map<string, Channel>()

function channelOf(name: keyof Measured): Channel {
  const known = channels.get(name) ?? channel(`licenses-invoices.${name}`)
  channels.set(name, known)
  return known
}

/** Tells whoever listens, which is nobody where neither METRICS_PORT nor traces are set up. */
export function measured<Name extends keyof Measured>(name: Name, what: Measured[Name]): void {
  const to = channelOf(name)
  if (to.hasSubscribers) to.publish(what)
}

/** Hears all that is measured in this process under a name. */
export function onMeasured<Name extends keyof Measured>(
  name: Name,
  hear: (what: Measured[Name]) => void,
): void {
  channelOf(name).subscribe((what) => hear(what as Measured[Name]))
}

/** Measures a transaction from now until its end; undefined where nobody listens. */
export function measuredTransaction(scope: Scope) {
  if (!channelOf('transaction').hasSubscribers) return undefined
  const started = performance.now()
  const end = (outcome: 'done' | 'thrown', statements: number) =>
    measured('transaction', { scope, statements, outcome, seconds: secondsSince(started) })
  return { end }
}

/** Seconds since a moment that `performance.now()` gave. */
export function secondsSince(started: number): number {
  return (performance.now() - started) / 1000
}
