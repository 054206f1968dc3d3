import type { Call } from '../fakes/vendors/routes.ts'
import { randomOfRun } from './run.ts'
import type { Scenario } from './stage.ts'

/** Share of calls that fail. */
export const FAULT_RATE = 0.35
/** Share of the chosen throttles that are played. */
const THROTTLE_SHARE = 0.1
const READ_FAULTS = ['drop-before', 'hang-before', 'error-before', 'throttle', 'stale']
const WRITE_FAULTS = [
  ...['drop-before', 'hang-before', 'error-before', 'throttle'],
  ...['reset-after', 'hang-after', 'error-after', 'late', 'late-hang', 'twice', 'twice-cut'],
]

/** Returns the fault of a call, by a random number. */
export type FaultOf = (call: Pick<Call, 'kind'>, random: () => number) => string | undefined

/** Returns one of the call's possible faults for a third of all calls. */
export function anyFault({ writeFaults, readFaults }: Scenario): FaultOf {
  return ({ kind }, random) => {
    if (random() > FAULT_RATE) return undefined
    const faults =
      kind === 'write'
        ? [...WRITE_FAULTS, ...writeFaults]
        : kind === 'read'
          ? [...READ_FAULTS, ...readFaults]
          : []
    const fault = faults[Math.floor(random() * faults.length)]
    // A throttle stops all calls for a second: as frequent as the other faults, it would leave nothing to test.
    return fault === 'throttle' && random() > THROTTLE_SHARE ? undefined : fault
  }
}

/** Returns the same faults for the same seed of the run, as far as the calls arrive in the same order. */
export function seeded(faultOf: FaultOf) {
  const random = randomOfRun('faults')
  return (call: Call) => faultOf(call, random)
}
