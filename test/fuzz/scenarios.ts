import { vendorFakes } from '../fakes/vendor-fakes.ts'
import type { FakeDeclaration } from '../fakes/vendors/declaration.ts'
import type { Scenario } from './stage.ts'

export const scenarios = vendorFakes.map(scenarioFor)
export const google = named('google-workspace')
export const microsoft = named('microsoft-partner-center')

function named(name: string): Scenario {
  const found = scenarios.find(({ vendor }) => vendor === name)
  if (!found) throw new Error(`There is no stand-in for ${name}.`)
  return found
}

/** A stand-in that lets through whatever our own rule allows, for that one is tried here. */
export function scenarioFor({
  vendor,
  start,
  confirmSetting,
  callsSetting,
  toNewSubscription,
  lenient,
  writeFaults,
  readFaults,
}: FakeDeclaration): Scenario {
  return {
    vendor,
    start,
    confirmSetting,
    callsSetting,
    add(fake, { isCommitmentPlan, ...seed }) {
      const planName = isCommitmentPlan ? 'ANNUAL_MONTHLY_PAY' : 'FLEXIBLE'
      fake.add({ ...toNewSubscription({ ...seed, planName, status: 'ACTIVE' }), vendorFields: lenient ?? {} })
    },
    writeFaults,
    readFaults,
  }
}
