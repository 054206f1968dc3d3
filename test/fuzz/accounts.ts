import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fake, FakeOptions, Step } from '../fakes/vendors/fake.ts'
import type { Call } from '../fakes/vendors/routes.ts'

/** Options of a fake; `onStep` also gets the account. */
export type Options = Omit<FakeOptions, 'onStep'> & {
  onStep?: (step: Step, call: Call, account: string) => void | Promise<void>
}

/**
 * A vendor's fake, the name by which assets refer to it, and its settings for how long a write may stay invisible and
 * how many calls it accepts.
 */
type Vendor = {
  vendor: string
  confirmSetting: string
  callsSetting: string
  start(options: FakeOptions, folder: string): Promise<{ fake: Fake; settings: Record<string, string> }>
}

/**
 * Starts a fake for each account at the vendor. The settings lead to the first fake by their names in the environment,
 * and to the others by a file of accounts.
 * @param given.settings additional settings of all fakes
 */
export async function openAccounts(
  { vendor, start, confirmSetting, callsSetting }: Vendor,
  names: readonly string[],
  folder: string,
  { options, settings: common }: { options: Options; settings: Record<string, string> },
): Promise<{ fakes: Map<string, Fake>; settings: Record<string, string> }> {
  const fakes = new Map<string, Fake>()
  const settings = { ...common }
  const named: object[] = []
  for (const account of names) {
    const onStep: FakeOptions['onStep'] = (step, call) => options.onStep?.(step, call, account)
    const accountFolder = join(folder, account)
    await mkdir(accountFolder)
    const started = await start({ ...options, onStep }, accountFolder)
    fakes.set(account, started.fake)
    if (fakes.size === 1) Object.assign(settings, started.settings)
    else {
      const limits = { [confirmSetting]: common[confirmSetting], [callsSetting]: common[callsSetting] }
      named.push({ vendor, name: account, settings: { ...started.settings, ...limits } })
    }
  }
  if (named.length > 0) {
    settings.VENDOR_ACCOUNTS_FILE = join(folder, 'accounts.json')
    await writeFile(settings.VENDOR_ACCOUNTS_FILE, JSON.stringify({ accounts: named }))
  }
  return { fakes, settings }
}
