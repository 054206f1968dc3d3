import { Command } from 'commander'
import { addAuditCommands } from './audit/command.ts'
import { addBillingProfileCommands } from './billing-profiles.ts'
import { addChangeCommands } from './changes/command.ts'
import { addCustomerCommands } from './customers.ts'
import { addDatabaseCommands } from './database/command.ts'
import { addImportCommands } from './imports/command.ts'
import { addInvoiceCommands } from './invoices/command.ts'
import { addIssuerCommands } from './issuers.ts'
import { addKeyCommands } from './keys/command.ts'
import { addLicenseCommands } from './licenses/command.ts'
import { addMemberCommands } from './members/command.ts'
import { addNoticeCommands } from './notices.ts'
import { addStatusCommand } from './status/command.ts'
import { addSumCommands } from './sums/command.ts'
import { exitCodeOf } from './terminal.ts'

/** All of the operator's commands. Wrong usage is thrown as a CommanderError, after it has been told. */
export function adminProgram(): Command {
  const program = new Command('npm run -s admin --')
    .usage('<what> <command> [options]')
    .description("The operator's commands. They work beside a running server, and without one.")
    .addHelpText('afterAll', '\nExit codes: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted.')
    .showHelpAfterError('(add --help for how it is used)')
    .exitOverride()
  addCustomerCommands(program)
  addBillingProfileCommands(program)
  addIssuerCommands(program)
  addMemberCommands(program)
  addKeyCommands(program)
  addImportCommands(program)
  addInvoiceCommands(program)
  addNoticeCommands(program)
  addLicenseCommands(program)
  addChangeCommands(program)
  addStatusCommand(program)
  addSumCommands(program)
  addAuditCommands(program)
  addDatabaseCommands(program)
  return program
}

/**
 * Runs one command line, and says what went wrong.
 * @param words what follows `npm run -s admin --`
 * @returns the exit code
 */
export async function runCommand(words: readonly string[]): Promise<number> {
  try {
    await adminProgram().parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    return exitCodeOf(error)
  }
}
