import { z } from 'zod'
import { isTaxCategory, isTypeCode } from '#lib/platform/values/invoice-codes.ts'
import { textError } from '#lib/platform/values/text.ts'
import { isUnit } from '#lib/platform/values/units.ts'
import { amount, name, text } from '../json/values.ts'
import { timeOf } from '../times.ts'
import { quoted } from '../value-errors.ts'

/** A day, `YYYY-MM-DD`. */
export const day = z.string('is no date').refine(isDay, 'is not a date such as 2026-11-30')

/** Schema of a code from a list; null and absent are equal. */
function code(isValid: (text: string) => boolean, list: string) {
  return z
    .string()
    .nullish()
    .check(({ value, issues }) => {
      if (typeof value === 'string' && !isValid(value))
        issues.push({ code: 'custom', input: value, message: `${quoted(value)} is no code of ${list}` })
    })
}

/** Schema of optional text; null and empty are equal. */
function optionalText(longest: number) {
  return z
    .string()
    .nullish()
    .check(({ value, issues }) => {
      const message = value ? textError(value, longest) : undefined
      if (message) issues.push({ code: 'custom', input: value, message })
    })
    .transform((value) => value || null)
    .optional()
}

const rate = amount
  .nullish()
  .refine((value) => value === null || value === undefined || Number(value) >= 0, 'is below zero')
const taxCategory = code(isTaxCategory, 'UNCL 5305, such as S, Z, E, AE, K, G or O')

/** Posting fields of a line; docs/use/posting.md describes them. */
export const linePosting = {
  netAmount: amount.nullish(),
  taxCategory,
  taxRate: rate,
  taxAmount: amount.nullish(),
  periodStart: day.nullish(),
  periodEnd: day.nullish(),
  billingAccount: name().nullish(),
  subAccount: name().nullish(),
  unit: code(isUnit, 'UN/ECE Recommendation 20, such as C62, MON or HUR'),
  usedQuantity: amount.nullish(),
  usedUnit: optionalText(300),
  sku: optionalText(300),
  purchaseOrder: optionalText(100),
  costCenter: optionalText(100),
  detailId: optionalText(300),
  chargeCategory: optionalText(300),
  grain: optionalText(2000),
  paymentCurrency: optionalText(3),
  paymentAmount: amount.nullish(),
}

const TaxRow = z
  .strictObject({
    taxCategory: text(3).refine(isTaxCategory, 'is no code of UNCL 5305, such as S, Z, E, AE, K, G or O'),
    taxRate: rate,
    taxableAmount: amount,
    taxAmount: amount,
    exemptionReason: optionalText(300),
  })
  .transform(({ taxCategory: category, taxRate = null, exemptionReason, ...amounts }) => ({
    category,
    rate: taxRate,
    ...amounts,
    ...(exemptionReason ? { exemptionReason } : {}),
  }))

/** Posting fields of an invoice. */
export const invoicePosting = {
  typeCode: code(isTypeCode, 'UNCL 1001, such as 380, 381 or 384'),
  netAmount: amount.nullish(),
  taxAmount: amount.nullish(),
  taxBreakdown: z.array(TaxRow).max(100, 'has more than 100 rows').nullish(),
  purchaseOrder: optionalText(100),
  buyerReference: optionalText(100),
  costCenter: optionalText(100),
  paymentTerms: optionalText(500),
}

type Period = { periodStart?: string | null | undefined; periodEnd?: string | null | undefined }

/** Returns the error of a line's period; undefined where valid or absent. */
export function periodError({ periodStart, periodEnd }: Period): string | undefined {
  if (!periodStart && !periodEnd) return undefined
  if (!periodStart || !periodEnd) return 'and periodStart come together'
  if (periodStart < periodEnd) return undefined
  return 'is not after periodStart: it is the first day after the period'
}

function isDay(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(value) && timeOf(value) !== undefined
}
