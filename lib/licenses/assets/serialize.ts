import { entityTag } from '#lib/platform/api/request.ts'
import { vendorInfo } from '#lib/vendors/declarations.ts'
import type { Asset, AssetListItem } from './contract.ts'
import * as shapes from './contract.ts'
import { type AssetRow, type AssetSummaryRow, hasLicenses, type LicensedRow } from './store.ts'

/** spec 2.2 */
function serializeAsset(row: AssetRow): Asset {
  return { id: row.id, type: row.type, properties: propertiesOf(row), settings: null }
}

/** Returns the asset with its version, for reads of one asset and the PATCH reply. */
export function replyOf(row: AssetRow): { body: Asset; version: string } {
  return { body: serializeAsset(row), version: versionOf(row) }
}

/**
 * spec 2.1. The answer has the name twice: public clients look assets up by `name`, which is not in the specification.
 * @param createTime in epoch milliseconds
 * @param baseUrl the console's public address, without a trailing slash
 */
export function serializeListItem(
  row: AssetSummaryRow['asset'],
  createTime: number,
  baseUrl: string,
): AssetListItem {
  const quantity = row.seatsPurchased
  return {
    id: row.id,
    type: row.type,
    licenseQty: quantity === null ? 'N/A' : String(quantity),
    assetName: row.name,
    url: `${baseUrl}/assets?filter=type:${row.type}`,
    name: row.name,
    ...(quantity === null ? {} : { quantity }),
    createTime,
  }
}

/**
 * Serializes an item for `view=full`, with all that a screen shows; `observedAt` is the time of the vendor's last
 * report.
 */
export function serializeFullItem(
  row: AssetRow,
  {
    changes,
    observedAt,
  }: {
    changes: Pick<AssetListItem, 'openChange' | 'lastChange' | 'waitUntil'>
    observedAt: Date | null
  },
  baseUrl: string,
): AssetListItem {
  const { scheduledTotal, scheduledAt } = row
  return {
    ...serializeListItem(row, row.createdAt.getTime(), baseUrl),
    properties: propertiesOf(row),
    etag: etagOf(row),
    ...(hasLicenses(row) ? { vendor: vendorOf(row) } : {}),
    ...(observedAt ? { observedTime: observedAt.getTime() } : {}),
    ...(scheduledTotal === null ? {} : { scheduled: scheduledOf(scheduledTotal, scheduledAt) }),
    ...changes,
  }
}

function scheduledOf(quantity: number, at: Date | null): NonNullable<AssetListItem['scheduled']> {
  return { quantity, ...(at ? { time: at.getTime() } : {}) }
}

function vendorOf({
  vendor: name,
  isCommitmentPlan,
  planName,
}: LicensedRow): NonNullable<AssetListItem['vendor']> {
  const { label, capsFlexible, takesLicenses, locksIncreases, nextTerm } = vendorInfo(name)
  // Of a trial nothing is billed.
  const quantityIsCap = capsFlexible && !isCommitmentPlan && planName !== 'TRIAL'
  const ordersTotals = isCommitmentPlan && nextTerm(planName) === 'total'
  return { name, label, quantityIsCap, takesLicenses, locksIncreases, ordersTotals }
}

/** Returns the version in the ETag of one asset, which begins with the seat version. */
function versionOf(row: AssetRow): string {
  return String(row.seatVersion)
}

/** Returns the ETag of a read of the asset. */
export function etagOf(row: AssetRow): string {
  return entityTag(JSON.stringify(shapes.Asset.parse(serializeAsset(row))), versionOf(row))
}

function propertiesOf(row: AssetRow): Asset['properties'] {
  return {
    customerDomain: row.customerDomain,
    customerID: row.vendorCustomerId,
    reseller: row.reseller,
    ...(hasLicenses(row) ? { subscription: subscriptionOf(row) } : {}),
  }
}

/**
 * spec 2.2. `NumberOfSeats` is purchased, of a flexible or trial plan the cap; `MaximumNumberOfSeats` is the same unless
 * the vendor states another cap.
 */
function subscriptionOf(row: LicensedRow): NonNullable<Asset['properties']['subscription']> {
  const { commitmentStart, commitmentEnd } = row
  return {
    BillingMethod: row.billingMethod,
    CreationTime: row.createdAt.getTime(),
    PurchaseOrderID: row.purchaseOrderId ?? '',
    ResourceUIURL: row.resourceUiUrl ?? '',
    SkuID: row.skuId,
    SkuName: row.skuName,
    Status: row.status,
    ID: row.subscriptionId,
    Plan: {
      CommitmentInterval: row.isCommitmentPlan ? true : null,
      ...(commitmentStart ? { CommitmentStartTime: commitmentStart.getTime() } : {}),
      ...(commitmentEnd ? { CommitmentEndTime: commitmentEnd.getTime() } : {}),
      IsCommitmentPlan: row.isCommitmentPlan,
      PlanName: row.planName,
    },
    RenewalSettings: row.isCommitmentPlan && row.renewalType ? { renewalType: row.renewalType } : null,
    Seats: {
      LicensedNumberOfSeats: row.seatsAssigned,
      MaximumNumberOfSeats: row.seatsMaximum,
      NumberOfSeats: row.seatsPurchased,
    },
  }
}
