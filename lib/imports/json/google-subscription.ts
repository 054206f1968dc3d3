import { z } from 'zod'
import type { NewAsset } from '#lib/imports/shapes.ts'
import { MAX_QUANTITY } from '#lib/licenses/assets/rules.ts'
import { boughtSeats, planNameOf, seatField } from '#lib/vendors/google/seats.ts'
import { httpUrl, optionalText, text, time } from './values.ts'

const seats = z.int().min(0).max(MAX_QUANTITY)

/** The fields that we keep of the Reseller API's `Subscription`; it has more, and may grow. */
export const GoogleSubscription = z
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
      numberOfSeats: seats.optional(),
      maximumNumberOfSeats: seats.optional(),
      licensedNumberOfSeats: seats.optional(),
    }),
  })
  .transform((given, context): NewAsset => {
    const { plan, seats, skuId, skuName, customerId, subscriptionId } = given
    const bought = boughtSeats(plan, seats)
    if (!bought) {
      const path = ['seats', seatField(plan)]
      context.issues.push({ code: 'custom', path, input: seats, message: 'is missing' })
      return z.NEVER
    }
    return {
      // A subscription's id changes with its plan; what the customer has of one product does not.
      id: `workspace-suite-${customerId}-${skuId}`,
      type: 'workspace-suite',
      name: skuName ?? skuId,
      customerDomain: given.customerDomain,
      vendorCustomerId: customerId,
      createdAt: given.creationTime,
      subscription: {
        id: subscriptionId,
        skuId,
        skuName: skuName ?? skuId,
        billingMethod: given.billingMethod,
        status: given.status,
        purchaseOrderId: given.purchaseOrderId,
        resourceUiUrl: given.resourceUiUrl,
        planName: planNameOf(plan.planName),
        isCommitmentPlan: plan.isCommitmentPlan,
        commitmentStart: plan.commitmentInterval?.startTime,
        commitmentEnd: plan.commitmentInterval?.endTime,
        renewalType: given.renewalSettings?.renewalType,
        seats: { ...bought, assigned: seats.licensedNumberOfSeats ?? 0 },
      },
    }
  })

/** Whether an object of a file is one of Google's, and not of our own shape. */
export function isGoogleShaped(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'subscriptionId' in value
}

/** The resources of a page of Google's `subscriptions.list`; anything else is itself. */
export function unwrapPage(value: unknown): unknown[] {
  const page = value as { subscriptions?: unknown } | null
  return Array.isArray(page?.subscriptions) ? page.subscriptions : [value]
}
