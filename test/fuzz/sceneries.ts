import { standIns } from '../fakes/stand-ins.ts'
import type { StandIn } from '../fakes/vendors/stand-in.ts'
import type { Scenery } from './stage.ts'

export const sceneries = standIns.map(sceneryOf)
export const google = named('google-workspace')
export const microsoft = named('microsoft-partner-center')

function named(name: string): Scenery {
  const found = sceneries.find(({ vendor }) => vendor === name)
  if (!found) throw new Error(`There is no stand-in for ${name}.`)
  return found
}

/** A stand-in that lets through whatever our own rule allows, for that one is tried here. */
export function sceneryOf({
  vendor,
  start,
  settleSetting,
  callsSetting,
  given,
  lenient,
  ownFaults,
  readFaults,
}: StandIn): Scenery {
  return {
    vendor,
    start,
    settleSetting,
    callsSetting,
    add(fake, { isCommitmentPlan, ...seed }) {
      const planName = isCommitmentPlan ? 'ANNUAL_MONTHLY_PAY' : 'FLEXIBLE'
      fake.add({ ...given({ ...seed, planName, status: 'ACTIVE' }), own: lenient ?? {} })
    },
    ownFaults,
    readFaults,
  }
}
