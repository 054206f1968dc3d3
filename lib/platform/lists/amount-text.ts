import { z } from 'zod'

/**
 * An exact decimal as text; may be absent. Credit is below 0.
 * @param what says what the bound selects: `invoices whose total is this much or more`
 */
export function amountText(what: string) {
  return z
    .string()
    .regex(/^-?\d{1,20}(\.\d{1,20})?$/, 'must be a decimal number, as in 1250.50')
    .optional()
    .meta({ description: `Exact decimal, as in \`1250.50\`: ${what}.` })
}
