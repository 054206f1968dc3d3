import { z } from 'zod'
import { MAX_TEMPLATE_LENGTH, paymentUrlError } from '#lib/billing/payment-instructions/payment-url.ts'
import { bicOf, ibanOf } from '#lib/platform/values/bank-codes.ts'
import { countryOf, NO_COUNTRY } from '#lib/platform/values/countries.ts'
import { textError } from '#lib/platform/values/text.ts'
import { name, optionalText } from './values.ts'

/** Up to ten lines of text with a line break between them; null and empty are equal. */
export const optionalLines = z
  .union([z.literal('').transform(() => null), z.string()])
  .nullish()
  .transform((value, context) => {
    const lines = value?.split(/\r?\n/).map((line) => line.trim()) ?? []
    const lineError = lines.map((line) => textError(line, 200)).find((each) => each !== undefined)
    const message = lines.length > 10 ? `has ${lines.length} lines, and at most 10 are kept` : lineError
    if (message) context.issues.push({ code: 'custom', input: value, message })
    return lines.join('\n') || null
  })

/** Schema of optional text in the canonical form of `read`. */
export function optionalCode(read: (text: string) => string | undefined, message: string) {
  return optionalText().transform((value, context) => {
    const code = value === null ? null : read(value)
    if (code === undefined) context.issues.push({ code: 'custom', input: value, message })
    return code ?? null
  })
}

/** Schema of an optional template of payment addresses. */
const paymentUrl = optionalText(MAX_TEMPLATE_LENGTH).transform((value, context) => {
  const message = value === null ? undefined : paymentUrlError(value)
  if (message) context.issues.push({ code: 'custom', input: value, message })
  return value
})

/** Issuer of an invoice: a name, or an object with all known fields; docs/operate/imports.md describes both. */
export const Issuer = z.preprocess(
  (value) => (typeof value === 'string' ? { name: value } : value),
  z.strictObject({
    name: name(),
    address: optionalLines.optional(),
    postcode: optionalText(20).optional(),
    city: optionalText(100).optional(),
    country: optionalCode(countryOf, NO_COUNTRY).optional(),
    taxId: optionalText(100).optional(),
    registration: optionalText(100).optional(),
    bank: optionalText(200).optional(),
    iban: optionalCode(ibanOf, 'is no IBAN: its country, length or check digits do not fit').optional(),
    bic: optionalCode(bicOf, 'is no BIC such as ABCDDEFFXXX').optional(),
    account: optionalText(200).optional(),
    terms: optionalText(500).optional(),
    paymentUrl: paymentUrl.optional(),
  }),
)
