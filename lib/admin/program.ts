import { Command } from 'commander'
import { GROUPS } from './groups.ts'
import { exitCodeOf } from './terminal.ts'

/**
 * The operator's commands, of which only those of one group are loaded: the others are known by name and description.
 * Wrong usage is thrown as a CommanderError, after it has been told.
 * @param group the first word of the command line
 */
export async function adminProgram(group: string | undefined): Promise<Command> {
  const program = new Command('npm run -s admin --')
    .usage('<what> <command> [options]')
    .description("The operator's commands. They work beside a running server, and without one.")
    .addHelpText('afterAll', '\nExit codes: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted.')
    .showHelpAfterError('(add --help for how it is used)')
    .exitOverride()
    // Loaded only now: who asks for help needs no settings.
    .hook('preAction', async () => (await import('#lib/server/registry/settings.ts')).checkSettings())
  for (const { name, description, load } of GROUPS) {
    const parent = program.command(name).description(description)
    if (name === group) (await load())(parent)
  }
  return program
}

/**
 * Runs one command line, and says what went wrong.
 * @param words what follows `npm run -s admin --`
 * @returns the exit code
 */
export async function runCommand(words: readonly string[]): Promise<number> {
  try {
    // `help keys` is about a group, too.
    const program = await adminProgram(words[0] === 'help' ? words[1] : words[0])
    await program.parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    return exitCodeOf(error)
  }
}
