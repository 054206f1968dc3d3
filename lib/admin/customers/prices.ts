import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import { customerNamed, withDatabase } from '../command.ts'
import { note, print } from '../terminal.ts'

/** @param customers the program's commands about customers */
export function addPricesCommand(customers: Command): void {
  customers
    .command('prices')
    .description('Show whether IT Managers see what a license costs, or say so, from the next request on.')
    .argument('<customer>', 'id or domain of the customer')
    .addOption(new Option('--to-it-managers <state>', 'what they see').choices(['shown', 'hidden']))
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s admin -- customers prices sunbird --to-it-managers hidden',
    )
    .action(withDatabase(prices))
}

async function prices(customer: string, { toItManagers }: { toItManagers?: 'shown' | 'hidden' }) {
  // Only now: what reads invoices would make every other command slower to start.
  const { changeVisibility } = await import('#lib/costs/license-prices/operations.ts')
  const { readHidesPrices } = await import('#lib/costs/license-prices/store.ts')
  const { customerId } = await customerNamed(customer)
  if (toItManagers) {
    const by = { actor: OPERATOR, requestId: `admin-${randomUUID()}` }
    const isChanged = await scope({ customerId }, (tx) =>
      changeVisibility(tx, customerId, toItManagers === 'hidden', by),
    )
    note(isChanged ? `Prices of ${customerId} are ${toItManagers} from now on.` : 'They were so already.')
  }
  const areHidden = await readScope({ customerId }, (tx) => readHidesPrices(tx, customerId))
  print(areHidden ? 'hidden' : 'shown')
}
