import type { NewAsset } from '#lib/imports/schemas.ts'
import { addMonths, timeOn } from './calendar.ts'
import type { DemoCustomer, UsageAsset } from './customers.ts'
import { isCommitment, type Purchase, seatsOn } from './purchase.ts'
import { randomFrom } from './random.ts'

const RESELLER = 'partners@fernhill-cloud.example'

/** Returns a customer's assets on `today`. */
export function assetsOf({ purchases, usage }: DemoCustomer, today: string): NewAsset[] {
  return [...purchases.map((purchase) => licensedAsset(purchase, today)), ...usage.map(usageAsset)]
}

function licensedAsset(purchase: Purchase, today: string): NewAsset {
  const { id, type, sku, domain, status, plan, seats, renewsOn, renewalType, purchaseOrder, vendor } =
    purchase
  const vendorCustomerId = vendorIdOf(domain)
  return {
    id,
    type,
    name: sku.name,
    customerDomain: domain,
    vendorCustomerId,
    vendor,
    reseller: RESELLER,
    createdAt: timeOfPurchase(purchase),
    subscription: {
      id: `S-${vendorCustomerId}-${sku.id}`,
      skuId: sku.id,
      skuName: sku.name,
      status,
      billingMethod: 'ONLINE',
      purchaseOrderId: purchaseOrder ?? null,
      resourceUiUrl: `https://admin.${type}.example/ac/subscriptions?customer=${vendorCustomerId}`,
      planName: plan,
      isCommitmentPlan: isCommitment(purchase),
      renewalType: renewalType ?? null,
      commitmentStart: renewsOn ? timeOn(addMonths(renewsOn, -12), 0, 0) : null,
      commitmentEnd: renewsOn ? timeOn(renewsOn, 0, 0) : null,
      seats: {
        purchased: seatsOn(purchase, today),
        assigned: seats.assigned,
        ...(seats.maximum === undefined ? {} : { maximum: seats.maximum }),
      },
    },
  }
}

function usageAsset(asset: UsageAsset): NewAsset {
  const { id, type, name, domain, vendorCustomerId } = asset
  return {
    id,
    type,
    name,
    customerDomain: domain,
    vendorCustomerId,
    reseller: RESELLER,
    createdAt: timeOfPurchase(asset),
    subscription: null,
  }
}

/** Returns a random minute of a working day, so that assets of one day have an order. */
function timeOfPurchase({ id, boughtOn }: { id: string; boughtOn: string }): Date {
  const random = randomFrom(`bought ${id}`)
  return timeOn(boughtOn, random.int(7, 16), random.int(0, 59))
}

/** Returns the vendor's id of a domain: `C` and eight characters. */
function vendorIdOf(domain: string): string {
  const random = randomFrom(`vendor ${domain}`)
  return `C${Array.from({ length: 8 }, () => random.int(0, 35).toString(36)).join('')}`
}
