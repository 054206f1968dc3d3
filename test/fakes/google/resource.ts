import type { NewSubscription } from '../vendors/routes.ts'
import type { Subscription } from '../vendors/store.ts'

/** Fields of a subscription that only Google has. */
export type GoogleFields = {
  customerDomain: string
  skuName: string
  billingMethod: string
  /** Cap in addition to the purchased licenses, which annual plans normally lack. */
  cap?: number | undefined
  renewalType?: string | undefined
  purchaseOrderId?: string | undefined
  suspensionReasons?: string[] | undefined
  /** The subscription gets a new id with each change, as Google's documentation warns. */
  moves?: boolean | undefined
  /** Omits the number of users who hold a license. */
  silent?: boolean | undefined
}

export type GoogleSubscription = Subscription<GoogleFields>

const YEAR_MS = 365 * 86_400_000
const CREATED = Date.UTC(2026, 2, 1)

/** Returns whether the plan buys a number of licenses for a term; all other plans have a cap. */
export function isAnnual(plan: string): boolean {
  return plan.startsWith('ANNUAL')
}

export function fill({ vendorFields, ...input }: NewSubscription<GoogleFields>): GoogleSubscription {
  const plan = input.plan ?? 'ANNUAL_MONTHLY_PAY'
  return {
    customerId: 'C0123456',
    skuId: '1010020020',
    total: 10,
    assigned: 4,
    status: 'ACTIVE',
    plan,
    createdAt: CREATED,
    ...input,
    vendorFields: {
      customerDomain: 'example.com',
      skuName: 'Google Workspace Enterprise Plus',
      billingMethod: 'ONLINE',
      renewalType: isAnnual(plan) ? 'RENEW_CURRENT_USERS_MONTHLY_PAY' : undefined,
      ...vendorFields,
    },
  }
}

/** Returns the resource of `get` and `list`. JSON drops undefined members. */
export function resourceOf(subscription: GoogleSubscription) {
  const { id, customerId, skuId, plan, status, createdAt, vendorFields } = subscription
  return {
    kind: 'reseller#subscription',
    customerId,
    subscriptionId: id,
    skuId,
    skuName: vendorFields.skuName,
    creationTime: String(createdAt),
    billingMethod: vendorFields.billingMethod,
    plan: {
      // Google's documentation: ANNUAL_MONTHLY_PAY is returned as ANNUAL in all API responses.
      planName: plan === 'ANNUAL_MONTHLY_PAY' ? 'ANNUAL' : plan,
      isCommitmentPlan: isAnnual(plan),
      commitmentInterval: commitmentOf(subscription),
    },
    seats: seatsOf(subscription),
    trialSettings: { isInTrial: plan === 'TRIAL' },
    renewalSettings: vendorFields.renewalType && {
      kind: 'subscriptions#renewalSettings',
      renewalType: vendorFields.renewalType,
    },
    purchaseOrderId: vendorFields.purchaseOrderId,
    status,
    suspensionReasons: vendorFields.suspensionReasons,
    resourceUiUrl: `https://www.google.com/a/cpanel/${vendorFields.customerDomain}/SubscriptionDetails`,
    customerDomain: vendorFields.customerDomain,
  }
}

/** Returns the resource of `changeSeats`, which has fewer fields. */
export function changedResourceOf(subscription: GoogleSubscription) {
  const { status, billingMethod, resourceUiUrl, customerDomain, ...rest } = resourceOf(subscription)
  return rest
}

function seatsOf({ plan, total, assigned, vendorFields }: GoogleSubscription) {
  return {
    kind: 'subscriptions#seats',
    numberOfSeats: isAnnual(plan) ? total : undefined,
    maximumNumberOfSeats: isAnnual(plan) ? vendorFields.cap : total,
    licensedNumberOfSeats: vendorFields.silent ? undefined : assigned,
  }
}

function commitmentOf({ plan, createdAt, vendorFields }: GoogleSubscription) {
  if (!isAnnual(plan) || vendorFields.billingMethod === 'OFFLINE') return undefined
  return { startTime: String(createdAt), endTime: String(createdAt + YEAR_MS) }
}
