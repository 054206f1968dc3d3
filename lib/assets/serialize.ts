import { entityTag } from '#lib/api/entity-tag.ts'
import type { ChangeRow } from './change-list.ts'
import type { Asset, AssetListItem, LicenseChange } from './contract.ts'
import * as shapes from './shapes.ts'
import { type AssetRow, hasLicenses, type LicensedRow } from './store.ts'

/** spec 2.2: what the reads of one asset and the PATCH answer. */
export function serializeAsset(row: AssetRow): Asset {
  return { id: row.id, type: row.type, properties: propertiesOf(row), settings: null }
}

/** spec 2.1; with `full` an item carries all that a screen needs. */
export function serializeListItem(row: AssetRow, full: boolean): AssetListItem {
  const quantity = row.seatsPurchased
  return {
    id: row.id,
    type: row.type,
    licenseQty: quantity === null ? 'N/A' : String(quantity),
    assetName: row.name,
    url: `/assets?filter=type:${row.type}`,
    name: row.name,
    ...(quantity === null ? {} : { quantity }),
    createTime: row.createdAt.getTime(),
    ...(full ? { properties: propertiesOf(row), etag: etagOf(row) } : {}),
  }
}

/** The seat version leads the ETag of one asset (CONTRACT 4). */
export function versionOf(row: AssetRow): string {
  return String(row.seatVersion)
}

/** The ETag that reading the asset gives. */
export function etagOf(row: AssetRow): string {
  return entityTag(JSON.stringify(shapes.Asset.parse(serializeAsset(row))), versionOf(row))
}

export function serializeLicenseChange({ change, assetName, type }: ChangeRow): LicenseChange {
  const { vendorReason, settledAt } = change
  return {
    ...{ id: change.id, assetId: change.assetId, assetName, type },
    ...{ from: change.fromQuantity, to: change.toQuantity, state: change.state },
    ...(vendorReason === null ? {} : { vendorReason }),
    actor: { kind: change.actorKind, id: change.actorId, name: change.actorName },
    createTime: change.createdAt.getTime(),
    ...(settledAt === null ? {} : { settleTime: settledAt.getTime() }),
  }
}

function propertiesOf(row: AssetRow): Asset['properties'] {
  return {
    customerDomain: row.customerDomain,
    customerID: row.vendorCustomerId,
    reseller: row.reseller,
    subscription: hasLicenses(row) ? subscriptionOf(row) : null,
  }
}

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
