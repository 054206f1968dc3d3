import type { Command } from 'commander'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { scope } from '#lib/db/scope.ts'
import { customerNamed, withDatabase } from './command.ts'
import { type Cell, printRows } from './table.ts'

/**
 * Adds a noun to the program, whose commands are each about one customer. A noun of two words is added to the first one.
 * @returns what adds a command: by its name, what it does, and what follows the name in an example
 */
export function customerCommands(program: Command, noun: string, description: string) {
  const parent = program.command(noun.split(' ').at(-1) ?? noun).description(description)
  return (name: string, description: string, example: string): Command =>
    parent
      .command(name)
      .description(description)
      .requiredOption('--customer <id>', 'id or domain of the customer')
      .addHelpText('after', `\nExample:\n  npm run -s admin -- ${noun} ${name} ${example}`)
}

/** What a command that lists does: it prints the customer's rows, as columns or as JSON. */
export function printsRows<Row extends Record<string, Cell>>(
  command: Command,
  read: (tx: Transaction, customerId: CustomerId) => Promise<readonly Row[]>,
): void {
  command.option('--json', 'as JSON').action(
    withDatabase(async (options: { customer: string; json?: boolean }) => {
      const { customerId } = await customerNamed(options.customer)
      printRows(await scope({ customerId }, (tx) => read(tx, customerId)), options)
    }),
  )
}
