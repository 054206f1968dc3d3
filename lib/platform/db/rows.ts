import { Column, is, SQL } from 'drizzle-orm'
import type { Transaction } from './client.ts'

type Decoder = { mapFromDriverValue(value: unknown): unknown }
type Field = { path: string[]; field: unknown }

/** What drizzle makes of a statement before it sends it. */
type Prepared = {
  fields?: readonly Field[]
  /** Of each joined table, whether its part of a row is always there. */
  joinsNotNullableMap?: Record<string, boolean>
  customResultMapper?: unknown
}
type Session = { prepareQuery(...given: unknown[]): Prepared }

/**
 * Makes rows of what this transaction reads by a plan that is made once for a statement. Drizzle itself finds out
 * anew for each value what kind of column it is of, which took longer than all the rest of a list together. The rows
 * are the same. A statement whose joins may find nothing is left to drizzle.
 */
export function withRowPlans(tx: Transaction): Transaction {
  const { session } = tx as unknown as { session: Session }
  const prepare = session.prepareQuery.bind(session)
  session.prepareQuery = (...given) => {
    const prepared = prepare(...given)
    if (prepared.fields && !prepared.customResultMapper) addPlan(prepared, prepared.fields)
    return prepared
  }
  return tx
}

function addPlan(prepared: Prepared, fields: readonly Field[]): void {
  let cells: (Cell | undefined)[] | undefined
  Object.defineProperty(prepared, 'customResultMapper', {
    // Asked when the statement is sent: only then drizzle has said which joins there are.
    get() {
      const isWhole = Object.values(prepared.joinsNotNullableMap ?? {}).every(Boolean)
      cells ??= isWhole ? fields.map(cellOf) : []
      if (cells.length === 0 || cells.includes(undefined)) return undefined
      return (rows: unknown[][]) => rows.map((row) => rowOf(cells as Cell[], row))
    },
  })
}

/** Where a value goes, and how it is read; as it came where there is no decoder. */
type Cell = { group: string | undefined; name: string; decoder: Decoder | undefined }

function cellOf({ path, field }: Field): Cell | undefined {
  const [first, second, ...deeper] = path
  const found = decoderOf(field)
  if (first === undefined || !found || deeper.length > 0) return undefined
  const decoder = isPlain(found) ? undefined : found
  return second === undefined
    ? { group: undefined, name: first, decoder }
    : { group: first, name: second, decoder }
}

function decoderOf(field: unknown): Decoder | undefined {
  if (is(field, Column)) return field
  if (is(field, SQL)) return (field as unknown as { decoder: Decoder }).decoder
  if (is(field, SQL.Aliased)) return (field.sql as unknown as { decoder: Decoder }).decoder
  return undefined
}

const plain = Column.prototype.mapFromDriverValue
const { decoder: untouched } = new SQL([]) as unknown as { decoder: Decoder }

function isPlain(decoder: Decoder): boolean {
  return decoder === untouched || decoder.mapFromDriverValue === plain
}

function rowOf(cells: readonly Cell[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < cells.length; at++) {
    const { group, name, decoder } = cells[at] as Cell
    const given = values[at]
    const value = given === null || !decoder ? given : decoder.mapFromDriverValue(given)
    if (group === undefined) row[name] = value
    else {
      row[group] ??= {}
      ;(row[group] as Record<string, unknown>)[name] = value
    }
  }
  return row
}
