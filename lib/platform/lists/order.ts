import { z } from 'zod'
import type { ParameterMeta } from '#lib/platform/api/request.ts'

/** By what a list is ordered, and which way: `totalAmount desc`. */
export type Order<Key extends string> = `${Key} ${'asc' | 'desc'}`

/** The order of a list, as in `orderBy=totalAmount desc`: one of these keys, ascending unless told otherwise. */
export function orderText<const Key extends string>(keys: readonly Key[]) {
  const orders = keys.flatMap((key): Order<Key>[] => [`${key} asc`, `${key} desc`])
  const pattern = `^\\s*(${keys.join('|')})(\\s+(asc|desc))?\\s*$`
  const message = `must be one of ${keys.join(', ')}, and then asc, desc or nothing`
  return z
    .codec(z.string(), z.enum(orders) as unknown as z.ZodType<Order<Key>>, {
      decode: (text, context) => {
        const [key, direction = 'asc', ...rest] = text.trim().split(/\s+/)
        const order = orders.find((known) => known === `${key} ${direction}`)
        if (order && rest.length === 0) return order
        context.issues.push({ code: 'custom', input: text, message })
        return z.NEVER
      },
      encode: (order) => order as Order<Key>,
    })
    .meta({ json: { type: 'string', pattern } } satisfies ParameterMeta)
}
