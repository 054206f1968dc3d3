import { formatDecimal } from './money.ts'

/** Names of the usual units: codes of UN/ECE Recommendation 20. */
const NAMES: Record<string, string> = {
  C62: 'units',
  H87: 'pieces',
  EA: 'units',
  NAR: 'units',
  ZZ: 'units',
  SET: 'sets',
  LS: 'lump sum',
  P1: '%',
  SEC: 'seconds',
  MIN: 'minutes',
  HUR: 'hours',
  DAY: 'days',
  WEE: 'weeks',
  MON: 'months',
  QAN: 'quarters',
  ANN: 'years',
  AD: 'bytes',
  '2P': 'KB',
  '4L': 'MB',
  E34: 'GB',
  E35: 'TB',
  E36: 'PB',
  E62: 'GiB',
  E61: 'TiB',
  KWH: 'kWh',
}

/** Codes of one thing, whatever it is. */
const COUNTED = new Set(['C62', 'H87', 'EA', 'NAR', 'ZZ'])

/**
 * Returns the name of a unit: `hours` for `HUR`, and the code itself where it has no name. Units of a suite are licenses.
 * @param type platform of the line: `office-suite`
 */
export function unitName(code: string, type: string): string {
  if (COUNTED.has(code) && type.endsWith('-suite')) return 'licenses'
  return NAMES[code] ?? code
}

/** Returns a quantity with the name of its unit, such as `240 licenses` or `1 hour`; without a unit, only the quantity. */
export function quantityText(
  quantity: string | number,
  unit: string | null | undefined,
  type: string,
): string {
  const text = formatDecimal(quantity)
  if (!unit) return text
  const name = unitName(unit, type)
  return `${text}\u00a0${Number(quantity) === 1 ? name.replace(/(?<=[a-z])s$/, '') : name}`
}
