/** The name of a file of today's data, without its extension: `invoices-2026-11-20`, by the day in UTC. */
export function dated(name: string): string {
  return named(name, {})
}

/**
 * The name of a file without its extension: with the days that it was asked for, both inclusive as `YYYY-MM-DD`, or with
 * today's, in UTC, where it has no bound.
 */
export function named(
  name: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): string {
  if (from && to) return from === to ? `${name}-of-${from}` : `${name}-${from}-to-${to}`
  if (from) return `${name}-from-${from}`
  return to ? `${name}-until-${to}` : `${name}-${new Date().toISOString().slice(0, 10)}`
}
