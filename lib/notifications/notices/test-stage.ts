import { afterAll, beforeAll, beforeEach } from 'vitest'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { openStage } from '../../../test/fakes/mail/stage.ts'

/** Stage of the tests of notices, in a file that has called `onStage`. */
export let stage: Awaited<ReturnType<typeof openStage>>
/** The customer of the test that runs, which no other test has. */
export let customerId = ''

let customers = 0

/** Opens a stage for the tests of a file. Before each test, only the recipients that `prepare` adds exist. */
export function onStage(prepare: () => Promise<void> = async () => {}): void {
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage.close())
  beforeEach(async () => {
    await stage.clear()
    customers += 1
    customerId = `c${customers}`
    await addCustomer(customerId)
    await prepare()
  })
}
