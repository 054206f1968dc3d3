import type Big from 'big.js'
import { decimalFault, quoted, textFault } from '#lib/imports/faults.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import { decimalOf } from '#lib/platform/values/decimals.ts'
import type { ProblemList } from '../problem-list.ts'
import { timeOf } from '../times.ts'
import type { Field, Header } from './columns.ts'

type Row = readonly string[]

/** Reads cells of a row; each is undefined where it is at fault, and the problem is on the list then. */
export type Cells = {
  fault(line: number, field: Field, reason: string): undefined
  text(row: Row, line: number, field: Field): string | undefined
  /** Epoch milliseconds. */
  time(row: Row, line: number, field: Field): number | undefined
  decimal(value: string | undefined, line: number, column: string): Big | undefined
  /** An empty cell is no fault: `{}`. */
  textIfAny(row: Row, line: number, field: Field): { value?: string } | undefined
  /** The same of a day, `YYYY-MM-DD`. */
  dayIfAny(row: Row, line: number, field: Field): { value?: string } | undefined
}

const LONGEST = 300
/** What a vendor writes on a line of an invoice may be longer than any name. */
const LONGEST_DESCRIPTION = 500

export function cellReader({ read, columnOf, dataset }: Header, problems: ProblemList): Cells {
  const fault = (line: number, field: Field, reason: string) => {
    problems.add({ line, column: columnOf(field), reason })
    return undefined
  }
  const text = (row: Row, line: number, field: Field) => {
    const value = read(row, field)
    if (value === undefined) return fault(line, field, 'is empty')
    const longest = field === 'service' && dataset === 'details' ? LONGEST_DESCRIPTION : LONGEST
    const reason = textFault(value, longest)
    return reason === undefined ? value : fault(line, field, reason)
  }
  const time = (row: Row, line: number, field: Field) => {
    const value = text(row, line, field)
    if (value === undefined) return undefined
    return timeOf(value) ?? fault(line, field, `${quoted(value)} is not a date`)
  }
  return {
    fault,
    text,
    time,
    decimal(value, line, column) {
      const found = value === undefined ? undefined : decimalOf(value)
      const reason = value === undefined ? 'is empty' : decimalFault(value)
      if (!found) problems.add({ line, column, reason })
      return found
    },
    textIfAny(row, line, field) {
      if (read(row, field) === undefined) return {}
      const value = text(row, line, field)
      return value === undefined ? undefined : { value }
    },
    dayIfAny(row, line, field) {
      if (read(row, field) === undefined) return {}
      const value = time(row, line, field)
      return value === undefined ? undefined : { value: dayOf(value) }
    },
  }
}
