import { z } from 'zod'
import { slugOf } from '#lib/imports/focus/platforms.ts'
import type { NewAsset } from '#lib/imports/schemas.ts'
import { MAX_QUANTITY } from '#lib/licenses/assets/quantity-rule.ts'
import { boughtSeats, planNameOf, seatField } from '#lib/vendors/google/subscription.ts'
import { jsonValues } from './objects.ts'
import { httpUrl, optionalText, text, time } from './values.ts'

const seats = z.int('is not a whole number').min(0).max(MAX_QUANTITY)
const optionalTime = time.nullish().transform((value) => value ?? null)

const Subscription = z.strictObject({
  id: text(),
  skuId: text(),
  skuName: text(),
  billingMethod: text(100),
  status: text(100),
  purchaseOrderId: optionalText(),
  resourceUiUrl: httpUrl,
  planName: text(100),
  isCommitmentPlan: z.boolean(),
  commitmentStart: optionalTime,
  commitmentEnd: optionalTime,
  renewalType: optionalText(100),
  seats: z.strictObject({ purchased: seats, maximum: seats.optional(), assigned: seats }),
})

/** Our own shape of an asset in a file; docs/operate/imports.md describes it. */
const Asset = z
  .strictObject({
    id: text(300),
    type: text(60).refine((value) => slugOf(value) === value, 'is no type such as workspace-suite'),
    name: text(),
    customerDomain: text(253),
    vendorCustomerId: text(),
    reseller: z.email('is not an email address').max(254).optional(),
    vendor: text(60).optional(),
    vendorAccount: text(60).optional(),
    createdAt: time,
    subscription: Subscription.nullable(),
  })
  .refine(({ id, type }) => id.startsWith(`${type}-`) && id.length > type.length + 1, {
    path: ['id'],
    message: 'does not begin with the type and a hyphen',
  })

/**
 * Reads assets from our own JSON or Google's `Subscription` resources, an array or NDJSON.
 * @param reseller contact of assets that name none, like Google's
 */
export function readAssets(text: AsyncIterable<string>, reseller?: string): AsyncGenerator<NewAsset> {
  const assets = jsonValues<NewAsset>([{ name: '', text }], {
    read: (value) => (isGoogleShaped(value) ? GoogleSubscription : Asset).safeParse(value),
    keyOf: ({ id }) => ({ group: '', id }),
    unwrap: unwrapPage,
  })
  return withReseller(assets, reseller)
}

async function* withReseller(assets: AsyncIterable<NewAsset>, reseller: string | undefined) {
  for await (const asset of assets) yield reseller === undefined ? asset : { reseller, ...asset }
}

const googleSeats = z.int().min(0).max(MAX_QUANTITY)

/** Imported fields of the Reseller API's `Subscription`, which has more and may grow. */
const GoogleSubscription = z
  .object({
    customerId: text(100),
    customerDomain: text(253),
    subscriptionId: text(100),
    skuId: text(100),
    skuName: optionalText(),
    creationTime: time,
    billingMethod: text(100),
    status: text(100),
    purchaseOrderId: optionalText(),
    resourceUiUrl: httpUrl,
    plan: z.object({
      planName: text(100),
      isCommitmentPlan: z.boolean(),
      commitmentInterval: z.object({ startTime: time.optional(), endTime: time.optional() }).nullish(),
    }),
    renewalSettings: z.object({ renewalType: optionalText() }).nullish(),
    seats: z.object({
      numberOfSeats: googleSeats.optional(),
      maximumNumberOfSeats: googleSeats.optional(),
      licensedNumberOfSeats: googleSeats.optional(),
    }),
  })
  .transform((input, context): NewAsset => {
    const { plan, seats, skuId, skuName, customerId, subscriptionId } = input
    const bought = boughtSeats(plan, seats)
    if (!bought) {
      const path = ['seats', seatField(plan)]
      context.issues.push({ code: 'custom', path, input: seats, message: 'is missing' })
      return z.NEVER
    }
    return {
      // A subscription's id changes with its plan; the customer's ownership of a product does not.
      id: `workspace-suite-${customerId}-${skuId}`,
      type: 'workspace-suite',
      name: skuName ?? skuId,
      customerDomain: input.customerDomain,
      vendorCustomerId: customerId,
      createdAt: input.creationTime,
      subscription: {
        id: subscriptionId,
        skuId,
        skuName: skuName ?? skuId,
        billingMethod: input.billingMethod,
        status: input.status,
        purchaseOrderId: input.purchaseOrderId,
        resourceUiUrl: input.resourceUiUrl,
        planName: planNameOf(plan.planName),
        isCommitmentPlan: plan.isCommitmentPlan,
        commitmentStart: plan.commitmentInterval?.startTime,
        commitmentEnd: plan.commitmentInterval?.endTime,
        renewalType: input.renewalSettings?.renewalType,
        seats: { ...bought, assigned: seats.licensedNumberOfSeats ?? 0 },
      },
    }
  })

/** Returns whether an object of a file has Google's shape instead of ours. */
function isGoogleShaped(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'subscriptionId' in value
}

/** Returns the resources of a page of Google's `subscriptions.list`; any other value unchanged. */
function unwrapPage(value: unknown): unknown[] {
  const page = value as { subscriptions?: unknown } | null
  return Array.isArray(page?.subscriptions) ? page.subscriptions : [value]
}
