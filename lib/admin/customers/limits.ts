import { type Command, InvalidArgumentError } from 'commander'
import { type CustomerLimits, readLimits, setLimits } from '#lib/platform/caller/limits/budget.ts'
import { limitSettings } from '#lib/platform/caller/limits/settings.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { customerNamed, recordOperatorAction, withDatabase } from '../command.ts'
import { note, printRows } from '../terminal.ts'

/** Limits in display order. */
const LIMITS = {
  requests: 'requests of a key or session in a minute',
  changes: 'changes of licenses among them',
  exports: 'exports among them',
  together: 'how many times as much all keys and sessions have together',
}
type Name = keyof typeof LIMITS
const NAMES = Object.keys(LIMITS) as Name[]
const MAX_LIMITS = { requests: 1_000_000, changes: 1_000_000, exports: 1_000_000, together: 1000 }

/** @param customers the program's commands about customers */
export function addLimitsCommand(customers: Command): void {
  const command = customers
    .command('limits')
    .description('Show the limits of a customer, or set those that are given, at once and for all processes.')
    .argument('<customer>', 'id or domain of the customer')
  for (const name of NAMES)
    command.option(`--${name} <number>`, `${LIMITS[name]}; "default": that of the settings`, numberFor(name))
  command
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s admin -- customers limits sunbird --requests 5000 --exports default',
    )
    .action(withDatabase(limits))
}

type LimitOptions = Partial<Record<Name, number | 'default'>> & { json?: boolean }

async function limits(customer: string, { json, ...options }: LimitOptions): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const requested = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, value === 'default' ? null : value]),
  ) as Partial<CustomerLimits>
  if (Object.keys(requested).length > 0)
    await scope({ customerId }, async (tx) => {
      await setLimits(tx, customerId, requested)
      await recordOperatorAction(tx, customerId, {
        action: 'limits.set',
        subject: customerId,
        details: requested,
      })
    })
  const customerLimits = await readScope({ customerId }, (tx) => readLimits(tx, customerId))
  const rows = NAMES.map((name) => ({
    limit: name,
    value: String(customerLimits[name] ?? limitSettings()[name]),
    from: customerLimits[name] === null ? 'settings' : 'customer',
  }))
  printRows(rows, json === undefined ? {} : { json })
  if (Object.keys(requested).length > 0) note(`The limits of ${customerId} are set.`)
}

/** Parses a whole number from 1 on, or "default", for commander. */
function numberFor(name: Name): (text: string) => number | 'default' {
  return (text) => {
    if (text === 'default') return text
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= 1 && number <= MAX_LIMITS[name]) return number
    throw new InvalidArgumentError(
      `Give a whole number from 1 to ${MAX_LIMITS[name].toLocaleString('en')}, or "default".`,
    )
  }
}
