import type Big from 'big.js'
import { decimalOf } from '#lib/platform/values/decimals.ts'
import { textError } from '#lib/platform/values/text.ts'
import type { Header } from '../focus/columns.ts'
import { timeReader } from '../times.ts'

/** Stored charge: exact decimal text, times in epoch milliseconds, exclusive end. Absent: not stated. */
export type Charge = {
  detail?: string | undefined
  category: string
  class?: string | undefined
  service: string
  description?: string | undefined
  start?: number | undefined
  end?: number | undefined
  account: string
  subAccount?: string | undefined
  quantity?: string | undefined
  unit?: string | undefined
  cost: string
  tags?: Record<string, string> | undefined
}

const MAX_LENGTH = 300
const MAX_TEXT_LENGTH = 1000
const MAX_TAGS_LENGTH = 100_000

/**
 * Returns a reader of the stored fields of a charge. Leaves out unreadable values: no debt depends on charges.
 * @param tags keys of the tags to keep
 */
export function chargeReader(tags: readonly string[] = []) {
  const timeAt = timeReader()
  const textAt = (text: string | undefined, longest = MAX_LENGTH) =>
    text && !textError(text, longest) ? text : undefined
  return ({ read }: Header, row: readonly string[], cost: Big): Charge => {
    const category = read(row, 'category') ?? ''
    const quantity = read(row, 'quantity')
    return {
      detail: textAt(read(row, 'line')),
      category,
      class: textAt(read(row, 'class')),
      service: read(row, 'service') ?? category,
      description: textAt(read(row, 'description')?.slice(0, MAX_TEXT_LENGTH), MAX_TEXT_LENGTH),
      start: timeAt(read(row, 'chargeStart')),
      end: timeAt(read(row, 'chargeEnd')),
      account: read(row, 'account') ?? '',
      subAccount: textAt(read(row, 'subAccount')),
      quantity: quantity === undefined ? undefined : decimalOf(quantity)?.toFixed(),
      unit: textAt(read(row, 'unit')),
      cost: cost.toFixed(),
      tags: tags.length === 0 ? undefined : chosen(read(row, 'tags'), tags),
    }
  }
}

/** Tags are a JSON object; numbers and switches become text. */
function chosen(text: string | undefined, keys: readonly string[]): Record<string, string> | undefined {
  if (text === undefined || text.length > MAX_TAGS_LENGTH || !text.startsWith('{')) return undefined
  const all = parsed(text)
  const entries = keys.flatMap((key) => {
    const value = Object.hasOwn(all, key) ? all[key] : undefined
    const valueText = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
    return valueText && !textError(valueText, MAX_LENGTH) ? [[key, valueText] as const] : []
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
