import { z } from 'zod'
import type { Answer } from '../vendors/routes.ts'
import { errorAnswer } from './errors.ts'
import { type GoogleSubscription, isAnnual } from './resource.ts'

// The rules that Google publishes for changeSeats.

const TRIAL_MAXIMUM = 10
const CONTRACT_MAXIMUM = 50_000

const Seats = z.strictObject({
  kind: z.string().optional(),
  numberOfSeats: z.int32().min(0).optional(),
  maximumNumberOfSeats: z.int32().min(0).optional(),
})

/**
 * Returns the total that changeSeats would set.
 * @param text the request's body
 */
export function parseTotal(
  subscription: GoogleSubscription,
  text: string,
): { total: number } | { refused: Answer } {
  const seats = Seats.safeParse(jsonOf(text))
  if (!seats.success) return invalid('Invalid value for: seats')
  const { numberOfSeats, maximumNumberOfSeats } = seats.data
  const [right, wrong] = isAnnual(subscription.plan)
    ? [numberOfSeats, maximumNumberOfSeats]
    : [maximumNumberOfSeats, numberOfSeats]
  if (right === undefined || wrong !== undefined) return invalid('Wrong seats field for the plan')
  const denial = ruleFor(subscription, right)
  return denial ? { refused: denial } : { total: right }
}

const Renewal = z.strictObject({
  kind: z.string().optional(),
  renewalType: z.enum([
    'AUTO_RENEW_MONTHLY_PAY',
    'AUTO_RENEW_YEARLY_PAY',
    'RENEW_CURRENT_USERS_MONTHLY_PAY',
    'RENEW_CURRENT_USERS_YEARLY_PAY',
    'SWITCH_TO_PAY_AS_YOU_GO',
    'CANCEL',
  ]),
})

/**
 * Returns the renewal settings that changeRenewalSettings would set.
 * @param text the request's body
 */
export function parseRenewal(
  { plan, status }: GoogleSubscription,
  text: string,
): { renewalType: string } | { refused: Answer } {
  const renewal = Renewal.safeParse(jsonOf(text))
  if (!renewal.success) return invalid('Invalid value for: renewalType')
  if (!isAnnual(plan))
    return { refused: errorAnswer(412, 'conditionNotMet', 'The plan has no such operation') }
  if (status !== 'ACTIVE') return invalid(`Subscription is ${status.toLowerCase()}`)
  return { renewalType: renewal.data.renewalType }
}

function ruleFor(
  { plan, status, total, assigned }: GoogleSubscription,
  requested: number,
): Answer | undefined {
  if (status === 'PENDING') {
    return errorAnswer(412, 'conditionNotMet', 'The customer has not accepted the terms of service')
  }
  if (status !== 'ACTIVE') return errorAnswer(400, 'badRequest', `Subscription is ${status.toLowerCase()}`)
  if (plan === 'FREE') return errorAnswer(412, 'conditionNotMet', 'The plan has no such operation')
  if (isAnnual(plan) && requested < total) return invalid('Seats of an annual plan cannot be reduced').refused
  if (requested < assigned) return invalid('Seats are fewer than the current users').refused
  if (plan === 'TRIAL' && requested > TRIAL_MAXIMUM) return invalid('A trial has 10 seats at most').refused
  if (requested > CONTRACT_MAXIMUM) return invalid('Seats are more than the contract allows').refused
  return undefined
}

function invalid(message: string): { refused: Answer } {
  return { refused: errorAnswer(400, 'invalid', message) }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
