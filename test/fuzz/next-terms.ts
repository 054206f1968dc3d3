import type { Fake } from '../fakes/vendors/fake.ts'
import type { Seed } from './stage.ts'

// The settings of next terms that vendors store.

type Body = { quantity: number } | { renewalType: string }

/** Settings of next terms at one vendor. `held` is a text: a total, a way to renew, or `none`. */
export type NextTerms = {
  held(fake: Fake, seed: Seed): string
  /** Like `held`, but of the fields that only this vendor has. */
  heldIn(vendorFields: unknown): string
  /** Setting before the first order. */
  base: string
  /** Returns a setting that an order may request. */
  wish(random: () => number): Body
  /** Another party sets something that no order asks for. */
  set(fake: Fake, seed: Seed, number: number): void
  /** Ends the term soon, so that orders can be made and the next term is distinguishable from this one. */
  open(fake: Fake, seed: Seed): void
  /** Begins the next term as set. */
  renew(fake: Fake, seed: Seed): void
}

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS
type MicrosoftFields = { fields: Record<string, unknown>; endsAt: string }
type GoogleFields = { renewalType: string }

function change<Fields>(fake: Fake, { id }: Seed, update: (now: Fields) => Partial<Fields>): void {
  fake.change(id, {}, update(fake.subscription(id)?.vendorFields as Fields) as object)
}

const microsoft: NextTerms = {
  held: (fake, { id }) => microsoft.heldIn(fake.subscription(id)?.vendorFields),
  heldIn(vendorFields) {
    const { fields } = vendorFields as MicrosoftFields
    const order = fields.scheduledNextTermInstructions as { quantity?: number } | null | undefined
    return String(order?.quantity ?? 'none')
  },
  base: 'none',
  // Fewer than any writer asks for, and than another party sets.
  wish: (random) => ({ quantity: 10 + Math.floor(random() * 8) }),
  set: (fake, seed, number) =>
    change<MicrosoftFields>(fake, seed, ({ fields }) => ({
      fields: { ...fields, scheduledNextTermInstructions: { quantity: 200 + (number % 90) } },
    })),
  open: (fake, seed) =>
    change<MicrosoftFields>(fake, seed, () => ({ endsAt: new Date(Date.now() + DAY_MS).toISOString() })),
  renew(fake, seed) {
    const held = Number(microsoft.held(fake, seed))
    change<MicrosoftFields>(fake, seed, ({ fields: { scheduledNextTermInstructions: _, ...fields } }) => ({
      fields,
      endsAt: new Date(Date.now() + YEAR_MS).toISOString(),
    }))
    if (held > 0) fake.setByVendor(seed.id, held)
  },
}

const google: NextTerms = {
  held: (fake, { id }) => google.heldIn(fake.subscription(id)?.vendorFields),
  heldIn: (vendorFields) => (vendorFields as GoogleFields).renewalType,
  base: 'RENEW_CURRENT_USERS_MONTHLY_PAY',
  wish: (random) => ({ renewalType: random() < 0.7 ? 'AUTO_RENEW_MONTHLY_PAY' : google.base }),
  set: (fake, seed) =>
    change<GoogleFields>(fake, seed, () => ({ renewalType: 'RENEW_CURRENT_USERS_YEARLY_PAY' })),
  open: (fake, { id }) => fake.change(id, { createdAt: Date.now() + DAY_MS - YEAR_MS }),
  renew(fake, seed) {
    const isSame = google.held(fake, seed).startsWith('AUTO_RENEW')
    fake.change(seed.id, { createdAt: Date.now() })
    if (!isSame) fake.setByVendor(seed.id, seed.assigned)
  },
}

/** The books of each vendor by its name. */
export const nextTerms: Record<string, NextTerms> = {
  'microsoft-partner-center': microsoft,
  'google-workspace': google,
}
