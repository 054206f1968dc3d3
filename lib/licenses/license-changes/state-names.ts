import type { ChangeState } from './rules.ts'

/** Names of the states for people. */
export const CHANGE_STATE_NAMES: Record<ChangeState, string> = {
  CLAIMED: 'Applying',
  SENT: 'Applying',
  UNKNOWN: 'Confirming',
  APPLIED: 'Applied',
  REJECTED: 'Refused by the vendor',
  FAILED: 'Not applied',
  UNCLEAR: 'Unclear',
  DRIFT: 'Changed at the vendor',
  RECORDED: 'Recorded by import',
}
