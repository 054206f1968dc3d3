import { Command } from 'commander'
import { addCustomerCommands } from './customers.ts'
import { addImportCommands } from './imports.ts'
import { addKeyCommands } from './keys.ts'
import { addMemberCommands } from './members.ts'
import { exitCodeOf, interruption } from './outcome.ts'

const program = new Command('npm run -s admin --')
  .usage('<what> <command> [options]')
  .description("The operator's commands. They work beside a running server, and without one.")
  .addHelpText('afterAll', '\nExit codes: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted.')
  .showHelpAfterError('(add --help for how it is used)')
  .exitOverride()

addCustomerCommands(program)
addMemberCommands(program)
addKeyCommands(program)
addImportCommands(program)

// Whoever reads our output may leave before its end (`| head`).
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // The second one ends us at once; PostgreSQL rolls back what is open.
  process.once(name, () => interruption.abort(new Error('Interrupted: nothing was stored.')))
}

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
}
// A pipe that nobody closes would keep us waiting.
process.stdin.destroy()
