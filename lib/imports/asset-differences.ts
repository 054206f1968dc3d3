import { decideQuantity } from '#lib/licenses/assets/quantity-rule.ts'
import { type AssetRow, hasLicenses } from '#lib/licenses/assets/store.ts'
import { DEFAULT_ACCOUNT } from '#lib/vendors/accounts.ts'
import { builtIn } from '#lib/vendors/built-in.ts'
import { difference, type ImportProblem } from './import-error.ts'
import type { NewAsset, NewSubscription } from './schemas.ts'

/** Fields that only the vendor or the customer sets. */
type NotImported = 'vendorSubscriptionId' | 'scheduledTotal' | 'scheduledAt' | 'postingOrder' | 'costCenter'

/** Values of an asset's row that an import may write. */
export type AssetValues = Omit<AssetRow, 'customerId' | 'seatVersion' | NotImported>

/** Returns the row values of an imported asset; missing values come from the stored row. */
export function valuesOf(incoming: NewAsset, stored?: AssetRow): AssetValues {
  const { subscription, ...asset } = incoming
  const { reseller = stored?.reseller ?? '', vendor = stored?.vendor ?? builtIn.name } = incoming
  const { vendorAccount = stored?.vendor === vendor ? stored.vendorAccount : DEFAULT_ACCOUNT } = incoming
  return {
    ...asset,
    reseller,
    vendor,
    vendorAccount,
    ...(subscription ? licensesOf(subscription) : NO_LICENSES),
  }
}

const NO_LICENSES = {
  subscriptionId: null,
  skuId: null,
  skuName: null,
  billingMethod: null,
  status: null,
  purchaseOrderId: null,
  resourceUiUrl: null,
  planName: null,
  isCommitmentPlan: null,
  commitmentStart: null,
  commitmentEnd: null,
  renewalType: null,
  seatsPurchased: null,
  seatsMaximum: null,
  seatsAssigned: null,
}

function licensesOf({ id, seats, ...stated }: NewSubscription) {
  const { purchased, maximum = purchased, assigned } = seats
  const numbers = { seatsPurchased: purchased, seatsMaximum: maximum, seatsAssigned: assigned }
  const { purchaseOrderId = null, resourceUiUrl = null, renewalType = null } = stated
  const { commitmentStart = null, commitmentEnd = null } = stated
  const optional = { purchaseOrderId, resourceUiUrl, renewalType, commitmentStart, commitmentEnd }
  return { ...NO_LICENSES, ...stated, ...optional, subscriptionId: id, ...numbers }
}

/** Returns the differences from the stored row, by field. Times are compared as times, to the millisecond. */
export function differencesOf(stored: AssetRow, values: AssetValues): ImportProblem[] {
  const subject = `asset ${stored.id}`
  const fields = Object.keys(values) as (keyof AssetValues)[]
  return fields
    .filter((field) => plain(stored[field]) !== plain(values[field]))
    .map((field) =>
      difference(subject, {
        column: field,
        stored: stored[field],
        incoming: values[field],
        allowedBy: '--replace',
      }),
    )
}

/**
 * Returns the problem that not even `replace` overrides: a commitment plan keeps its licenses (spec 8.1), unless the
 * file contains a later term or another plan.
 */
export function lostLicenses(stored: AssetRow, values: AssetValues): ImportProblem | undefined {
  if (!hasLicenses(stored)) return undefined
  const { isCommitmentPlan, seatsPurchased: purchased } = stored
  const quantity = values.seatsPurchased ?? 0
  const decision = decideQuantity({ status: 'ACTIVE', isCommitmentPlan, purchased }, quantity)
  if (decision.allowed || values.isCommitmentPlan === false || isRenewed(stored, values)) return undefined
  const reason = `a commitment plan cannot go from ${purchased} to ${quantity} licenses within its term`
  return { subject: `asset ${stored.id}`, column: 'seatsPurchased', reason }
}

function isRenewed(stored: AssetRow, values: AssetValues): boolean {
  const [was, is] = [stored.commitmentEnd, values.commitmentEnd]
  return was !== null && is !== null && is.getTime() > was.getTime()
}

function plain(value: AssetRow[keyof AssetRow]): string | number | boolean | null {
  return value instanceof Date ? value.getTime() : value
}
