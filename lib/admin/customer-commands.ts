import type { Command } from 'commander'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { customerNamed, withDatabase } from './command.ts'
import { type Cell, printRows } from './table.ts'

/**
 * For a group whose commands are each about one customer.
 * @returns what adds a command to it: by its name, what it does, and what follows the name in an example
 */
export function customerCommands(parent: Command) {
  const [above, own] = [parent.parent, parent.name()]
  const path = above?.parent ? `${above.name()} ${own}` : own
  return (name: string, description: string, example: string): Command =>
    parent
      .command(name)
      .description(description)
      .requiredOption('--customer <id>', 'id or domain of the customer')
      .addHelpText('after', `\nExample:\n  npm run -s admin -- ${path} ${name} ${example}`)
}

/** What a command that lists does: it prints the customer's rows, as columns or as JSON. */
export function printsRows<Row extends Record<string, Cell>>(
  command: Command,
  read: (tx: Transaction, customerId: CustomerId) => Promise<readonly Row[]>,
): void {
  command.option('--json', 'as JSON').action(
    withDatabase(async (options: { customer: string; json?: boolean }) => {
      const { customerId } = await customerNamed(options.customer)
      printRows(await readScope({ customerId }, (tx) => read(tx, customerId)), options)
    }),
  )
}
