import type { Charge } from './charge.ts'

/** Between the parts of a key: no cell that is kept has it. */
export const END = '\u0000'

/** By its bill, its line, the dearest first, and then by all that it says, so that equal files come in one order. */
export function keyOf(bill: string, charge: Charge): string {
  return [bill, charge.detail ?? '', descending(Number(charge.cost)), JSON.stringify(charge)].join(END)
}

const view = new DataView(new ArrayBuffer(8))
const SIGN = 1n << 63n
const ALL = (1n << 64n) - 1n

/** A number as text whose order is the other way round. */
function descending(value: number): string {
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const ascending = bits & SIGN ? bits ^ ALL : bits | SIGN
  return (ALL - ascending).toString(16).padStart(16, '0')
}
