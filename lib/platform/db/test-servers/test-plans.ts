import pg from 'pg'

// Counts the rows that the database reads for a test's work, independent of the clock: runs each statement again with
// EXPLAIN ANALYZE.

/** Statement as sent by this process, at the lowest level of the driver. */
type Sent = { text: string; values: unknown[] }
type Wire = {
  query(text: string): void
  parse(message: { name?: string; text: string }): void
  bind(portal: { statement?: string; values?: unknown[] }): void
}
type Plan = {
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Plan[]
} & Record<string, unknown>

/** Rows that a statement read, filtered ones included: by table, or by index for a bitmap scan. */
export type Read = { query: string; rows: number; from: Record<string, number> }

/** Statements recorded now; undefined while not recording. */
let noted: Sent[] | undefined
/** Prepared statements of each connection by name: their text is sent once only. */
const prepared = new WeakMap<Wire, Map<string, string>>()

// Installed when this file is imported, so that it knows each prepared name: below all paths of a statement through the
// driver.
const { prototype } = (pg as unknown as { Connection: { prototype: Wire } }).Connection
const { query, parse, bind } = prototype
prototype.query = function noting(text) {
  noted?.push({ text, values: [] })
  return query.call(this, text)
}
prototype.parse = function noting(message) {
  const texts = prepared.get(this) ?? new Map()
  prepared.set(this, texts.set(message.name ?? '', message.text))
  return parse.call(this, message)
}
prototype.bind = function noting(portal) {
  const text = prepared.get(this)?.get(portal.statement ?? '')
  if (noted && text === undefined) throw new Error(`Nobody saw how ${portal.statement} was prepared.`)
  noted?.push({ text: text ?? '', values: portal.values ?? [] })
  return bind.call(this, portal)
}

/** Runs `work`, and returns the statements that it sent to the database, except inserts: this measures reads. */
export async function sentBy(work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = []
  noted = sent
  try {
    await work()
  } finally {
    noted = undefined
  }
  return sent.filter(({ text }) => /^\s*(SELECT|WITH|UPDATE|DELETE)/i.test(text))
}

/**
 * Runs statements again, in a transaction that is rolled back, and counts the rows that they read.
 * @param client logged in as the role that sent them, with the customer set
 */
export async function rowsRead(client: pg.ClientBase, sent: readonly Sent[]): Promise<Read[]> {
  const reads: Read[] = []
  await client.query('BEGIN')
  try {
    for (const { text, values } of sent) {
      const { rows } = await client.query(`EXPLAIN (ANALYZE, COSTS OFF, FORMAT JSON) ${text}`, values)
      const from: Record<string, number> = {}
      count(rows[0]['QUERY PLAN'][0].Plan, from)
      reads.push({ query: text, rows: Object.values(from).reduce((sum, n) => sum + n, 0), from })
    }
  } finally {
    await client.query('ROLLBACK')
  }
  return reads
}

function count(plan: Plan, from: Record<string, number>): void {
  const removed = ['Rows Removed by Filter', 'Rows Removed by Index Recheck']
  const dropped = removed.reduce((sum, name) => sum + Number(plan[name] ?? 0), 0)
  const relation =
    plan['Relation Name'] ?? (plan['Node Type'] === 'Bitmap Index Scan' ? plan['Index Name'] : undefined)
  // Partitions count as their table.
  const table = relation?.replace(/^(audit_(?:events|chain))_(?:first|rest|\d{4}_\d{2})$/, '$1')
  if (table) from[table] = (from[table] ?? 0) + (plan['Actual Rows'] + dropped) * plan['Actual Loops']
  for (const part of plan.Plans ?? []) count(part, from)
}
