import 'server-only'

// Apart from subscription.ts, because the import of Google's JSON asks it too.

/** Google's two words for what was bought; which one counts depends on the plan. */
export type GoogleSeats = {
  numberOfSeats?: number | undefined
  maximumNumberOfSeats?: number | undefined
}

export type GooglePlan = { planName: string; isCommitmentPlan: boolean }

/** Reads say ANNUAL where writes say ANNUAL_MONTHLY_PAY. */
export function planNameOf(name: string): string {
  return name === 'ANNUAL' ? 'ANNUAL_MONTHLY_PAY' : name
}

/** The field that a plan's licenses are bought by; the other one is refused. */
export function seatField({ planName, isCommitmentPlan }: GooglePlan): keyof GoogleSeats {
  if (/^ANNUAL(_|$)/.test(planName)) return 'numberOfSeats'
  if (planName === 'FLEXIBLE' || planName === 'TRIAL') return 'maximumNumberOfSeats'
  return isCommitmentPlan ? 'numberOfSeats' : 'maximumNumberOfSeats'
}

/**
 * What was bought, in whole licenses. An annual plan buys a number, and may state a cap beside it. Any other plan
 * has a cap, which stands for both.
 * @returns undefined where the plan's field is missing
 */
export function boughtSeats(
  plan: GooglePlan,
  { numberOfSeats, maximumNumberOfSeats }: GoogleSeats,
): { purchased: number; maximum: number } | undefined {
  const isNumber = seatField(plan) === 'numberOfSeats'
  const purchased = isNumber ? numberOfSeats : (maximumNumberOfSeats ?? numberOfSeats)
  if (purchased === undefined) return undefined
  return { purchased, maximum: maximumNumberOfSeats ?? purchased }
}
