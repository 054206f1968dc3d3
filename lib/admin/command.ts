import type { Command } from 'commander'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type CustomerId, ROLE_NAMES, ROLES, type Role } from '#lib/platform/caller/rules.ts'
import { findCustomer } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { logToStderr } from '#lib/platform/runtime/log.ts'
import { textError } from '#lib/platform/values/text.ts'
import { type Cell, printRows, UsageError } from './terminal.ts'

/** Wraps a command's work with an open database: of a running server, or one started for the command. */
export function withDatabase<A extends unknown[]>(work: (...args: A) => Promise<void>) {
  return async (...args: A): Promise<void> => {
    // Standard output is the command's result.
    logToStderr()
    const { stop } = await startDatabase()
    try {
      await work(...args)
    } finally {
      await stop()
    }
  }
}

/** @throws Problem where no customer has this id or domain */
export async function customerNamed(
  idOrDomain: string,
): Promise<{ customerId: CustomerId; name: string; domain: string }> {
  const customer = await findCustomer(idOrDomain)
  if (!customer) throw new Problem('not_found', `There is no customer "${idOrDomain}".`)
  return customer
}

/** Records the operator's action in the transaction of the action. */
export function recordOperatorAction(
  tx: Transaction,
  customerId: CustomerId,
  {
    action,
    subject,
    details = {},
  }: {
    action: string
    subject: string
    details?: Record<string, string | number | string[] | null> | undefined
  },
): Promise<void> {
  return recordAudit(tx, customerId, {
    action,
    subject,
    details,
    actor: OPERATOR,
    requestId: crypto.randomUUID(),
  })
}

/** Collects the values of a repeatable option, for commander. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/**
 * Returns the roles of a repeatable option, whose values may have several separated by commas.
 * @throws UsageError that names the roles, for an unknown role
 */
export function rolesOf(values: readonly string[]): Role[] {
  const names = values.flatMap((value) => value.split(',')).map((name) => name.trim())
  const roles = names.map((name) => {
    const role = ROLES.find((each) => [each, ROLE_NAMES[each].toLowerCase()].includes(name.toLowerCase()))
    if (!role) throw new UsageError(`There is no role "${name}"; there are ${ROLES.join(', ')}.`)
    return role
  })
  return ROLES.filter((role) => roles.includes(role))
}

/** @throws UsageError where the text is empty, too long, or has control characters */
export function checkedText(what: string, text: string, longest = 200): string {
  const trimmed = text.trim()
  const error = trimmed === '' ? 'is empty' : textError(trimmed, longest)
  if (error) throw new UsageError(`The ${what} ${error}.`)
  return trimmed
}

/** Like `checkedText`, but for text that may be cleared: null where empty. */
export function textOf(what: string, text: string, longest = 200): string | null {
  return text.trim() === '' ? null : checkedText(what, text, longest)
}

/**
 * Returns a standard code in its canonical form; null where the text is empty.
 * @throws UsageError with the reason where the code is invalid
 */
export function codeOf(text: string, read: (text: string) => string | undefined, error: string) {
  if (text.trim() === '') return null
  const code = read(text)
  if (code === undefined) throw new UsageError(`"${text}" ${error}.`)
  return code
}

/** Joins several lines into one text; null where all are empty. */
export function linesOf(what: string, lines: readonly string[]): string | null {
  if (lines.length > 10) throw new UsageError(`The ${what} has more than 10 lines.`)
  return lines.flatMap((line) => textOf(what, line) ?? []).join('\n') || null
}

/**
 * Translates violations of unique indexes into problems; a check beforehand would miss races.
 * @param meanings problem texts by index name
 */
export function orDuplicate<T>(done: Promise<T>, meanings: Record<string, string>): Promise<T> {
  return done.catch((error: unknown) => {
    const meaning = errorCode(error) === '23505' ? meanings[constraintOf(error) ?? ''] : undefined
    throw meaning === undefined ? error : new Problem('invalid_request', meaning)
  })
}

function constraintOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('constraint' in at && typeof at.constraint === 'string') return at.constraint
  return undefined
}

/**
 * Prepares a group whose commands each act on one customer.
 * @returns a function that adds a command: name, description, and the arguments of its example
 */
export function customerCommands(parent: Command) {
  const [above, name] = [parent.parent, parent.name()]
  const path = above?.parent ? `${above.name()} ${name}` : name
  return (name: string, description: string, example: string): Command =>
    parent
      .command(name)
      .description(description)
      .requiredOption('--customer <id>', 'id or domain of the customer')
      .addHelpText('after', `\nExample:\n  npm run -s admin -- ${path} ${name} ${example}`)
}

/** Returns the action of a list command: prints the customer's rows as columns or JSON. */
export function printsRows<Row extends Record<string, Cell>>(
  command: Command,
  read: (tx: Transaction, customerId: CustomerId) => Promise<readonly Row[]>,
): void {
  command.action(
    withDatabase(async (options: { customer: string; json?: boolean }) => {
      const { customerId } = await customerNamed(options.customer)
      printRows(await readScope({ customerId }, (tx) => read(tx, customerId)), options)
    }),
  )
}
