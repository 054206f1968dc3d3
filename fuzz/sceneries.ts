import { type FakeGoogle, startGoogle } from '../stand-ins/google/google.ts'
import { type FakeMicrosoft, startMicrosoft } from '../stand-ins/microsoft/microsoft.ts'
import type { Fake } from '../stand-ins/vendors/fake.ts'
import type { Scenery } from './stage.ts'

export const google: Scenery = {
  vendor: 'google-workspace',
  async start(options, folder) {
    const fake = await startGoogle(options)
    return { fake: fake as unknown as Fake, settings: fake.environment(folder) }
  },
  add(fake, { isCommitmentPlan, ...seed }) {
    const plan = isCommitmentPlan ? 'ANNUAL_MONTHLY_PAY' : 'FLEXIBLE'
    ;(fake as unknown as FakeGoogle).add({ ...seed, plan })
  },
  ownFaults: [],
}

export const microsoft: Scenery = {
  vendor: 'microsoft-partner-center',
  async start(options) {
    const fake = await startMicrosoft(options)
    return { fake: fake as unknown as Fake, settings: fake.environment() }
  },
  add(fake, { isCommitmentPlan, ...seed }) {
    const plan = isCommitmentPlan ? 'P1Y monthly' : 'P1M monthly'
    // Whatever was bought may be returned: the rule that is tried here is ours.
    const refundable = [{ quantity: 1_000_000, allowedUntilDateTime: '2099-12-31T00:00:00Z' }]
    ;(fake as unknown as FakeMicrosoft).add({ ...seed, plan, own: { refundable } })
  },
  ownFaults: ['accepted', 'empty-after', 'code-2055', 'code-900278'],
}

export const sceneries = [google, microsoft]
