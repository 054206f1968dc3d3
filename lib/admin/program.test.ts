import { type Command, CommanderError } from 'commander'
import { DrizzleQueryError } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { withoutValues } from '#lib/platform/db/prepared-queries.ts'
import { adminProgram, GROUPS } from './program.ts'
import { exitCodeOf } from './terminal.ts'
import { runHere } from './test-run.ts'

/** Returns the output of a command line that ends before it does any work. */
async function outputOf(args: string) {
  let [out, err] = ['', '']
  const program = await adminProgram(args.split(' ')[0])
  const configure = (command: typeof program) => {
    command.configureOutput({
      writeOut: (text) => {
        out += text
      },
      writeErr: (text) => {
        err += text
      },
    })
    for (const sub of command.commands) configure(sub as typeof program)
  }
  configure(program)
  const error = await program
    .parseAsync(args.split(' ').filter(Boolean), { from: 'user' })
    .catch((thrown) => thrown)
  expect(error).toBeInstanceOf(CommanderError)
  return { code: await exitCodeOf(error), out, err }
}

const LOADED = await Promise.all(
  GROUPS.map(async ({ name }) =>
    (await adminProgram(name)).commands.filter((group) => group.name() === name),
  ),
)
const COMMANDS = namesOf(LOADED.flat())

/** All commands, those within others with the names of both. */
function namesOf(commands: readonly Command[], before = ''): string[] {
  return commands.flatMap((command) => {
    const name = before + command.name()
    return command.commands.length === 0 ? [name] : namesOf(command.commands, `${name} `)
  })
}

test('wrong settings of all modules stop a command before it does anything', async () => {
  vi.stubEnv('METRICS_PORT', '70000')
  vi.stubEnv('OPERATOR_MAIL', 'nobody')
  const { code, out, err } = await runHere(['customers', 'list'])
  vi.unstubAllEnvs()
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/Wrong configuration\. METRICS_PORT: [^;]+; OPERATOR_MAIL\.0: must be/)
})

test('the commands are these', () => {
  expect(COMMANDS).toEqual([
    'customers add',
    'customers list',
    'customers limits',
    'customers prices',
    'customers import',
    'customers issue-keys',
    'customers rename',
    'customers close',
    'customers reopen',
    'customers export',
    'customers remove-gone',
    'customers merge',
    'billing-profiles set',
    'billing-profiles list',
    'issuers set',
    'issuers alias',
    'issuers list',
    'members add',
    'members reset',
    'members set-roles',
    'members set-profiles',
    'members disable',
    'members enable',
    'members reset-factor',
    'members list',
    'sign-on set',
    'sign-on show',
    'sign-on test',
    'sign-on off',
    'sign-on require',
    'sign-on allow-passwords',
    'sign-on release',
    'sign-on domains add',
    'sign-on domains verify',
    'sign-on domains confirm',
    'sign-on domains remove',
    'sign-on domains list',
    'keys issue',
    'keys list',
    'keys rotate',
    'keys revoke',
    'scim token issue',
    'scim token revoke',
    'scim token list',
    'scim group map',
    'scim group list',
    'import focus',
    'import invoices',
    'import assets',
    'import list',
    'import show',
    'import undo',
    'invoices attach',
    'invoices duplicates',
    'invoices merge',
    'payments add',
    'payments import',
    'payments list',
    'payments assign',
    'payments reverse',
    'payments write-off',
    'notices add',
    'notices list',
    'notices remove',
    'notices send',
    'licenses apply',
    'changes list',
    'changes show',
    'changes settle',
    'changes resend',
    'renewal-orders list',
    'renewal-orders show',
    'renewal-orders settle',
    'renewal-orders resend',
    'status',
    'sums verify',
    'sums rebuild',
    'audit list',
    'audit export',
    'audit verify',
    'audit heads',
    'audit prune',
    'database status',
    'database migrate',
    'database logins',
    'database backfill',
    'database dump',
    'database restore',
    'database distribute',
    'database isolate',
  ])
})

test.each(COMMANDS)('%s --help has an example and the exit codes', async (command) => {
  const { code, out, err } = await outputOf(`${command} --help`)
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain(`Usage: npm run -s admin -- ${command} `)
  expect(out).toContain(`Example:\n  npm run -s admin -- ${command} `)
  expect(out).toContain('Exit codes: 0 done, 1 refused')
})

test('each command that shows something can print JSON', async () => {
  const showing = COMMANDS.filter((name) => /(^| )(list|show|status|duplicates|limits|prices)$/.test(name))
  expect(showing).toHaveLength(23)
  for (const command of [...showing, 'sums verify', 'audit verify', 'sign-on test'])
    expect((await outputOf(`${command} --help`)).out).toMatch(/^ +--json +as JSON$/m)
})

test('the help marks each required option', async () => {
  const { out } = await outputOf('keys issue --help')
  expect(out).toMatch(/^ +--customer <id> +id or domain of the customer \(required\)$/m)
  expect(out.replaceAll(/\s+/g, ' ')).toContain('--name <name> what it is for (required)')
  expect(out).not.toMatch(/--profile <id>[^-]+required/)
})

describe('wrong usage is 2', () => {
  test.each([
    '',
    'members',
    'bake a-cake',
    'members bake',
    'keys issue --customer sunbird',
    'keys issue --customer sunbird --role admin --name x --expires soon',
    'keys issue --customer sunbird --role admin --name x --expires 0d',
    'keys revoke --customer sunbird',
    'keys rotate --customer sunbird',
    'keys rotate --customer sunbird x --overlap 2h',
    'import focus x.csv',
    'import focus x.csv --customer sunbird --due-days -1',
    'import focus x.csv --customer sunbird --due-days 1.5',
    'import focus x.csv --customer sunbird --platform AWS',
    'import focus --customer sunbird',
    'import focus x.csv --customer sunbird --map map.csv',
    'import focus x.csv --customer sunbird --issuer Alpha',
    'import focus x.csv --customer sunbird --prices rules.csv',
    'import focus x.csv --customer sunbird --at-cost',
    'import focus x.csv --customer sunbird --issuer Alpha --prices rules.csv --at-cost',
    'import invoices x.json --customer sunbird --expect 12',
    'import invoices x.json --customer sunbird --expect USD=1 --expect USD=2',
    'import assets x.json y.json --customer sunbird',
    'import assets x.json',
    'import assets x.json --customer sunbird --by-domain',
    'import show',
    'invoices attach --customer sunbird',
    'invoices attach x.pdf',
    'notices add --customer sunbird',
    'notices add a@b.example --customer sunbird --kinds overdue',
    'notices send',
    'licenses apply totals.csv --yes',
    'licenses apply --customer sunbird --yes',
    'licenses apply - --customer sunbird',
    'customers list --jsn',
    'customers list more',
    'customers limits sunbird --requests many',
    'customers limits sunbird --together 1001',
    'customers import',
    'customers import x.csv',
    'customers import - --links x.csv',
    'customers issue-keys',
    'customers issue-keys wanted.csv',
    'customers rename',
    'customers close',
    'customers close sunbird --gone-after 0',
    'customers close sunbird --gone-after 5000',
    'customers export sunbird',
    'customers merge a',
    'customers merge a --into b',
    'customers merge a --into b --profile x --dry-run',
  ])('%j', async (args) => {
    const { code, out, err } = await outputOf(args)
    expect([code, out]).toEqual([2, ''])
    expect(err).not.toBe('')
  })
})

test('A failure prints its message, without the failed SQL statement', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const lines = []
  for (const error of [
    new Error('Run these lines first.', { cause: new Error('permission denied') }),
    withoutValues(new DrizzleQueryError('select secret', [], new Error('out of space'))),
  ])
    lines.push([await exitCodeOf(error), write.mock.lastCall?.[0]])
  write.mockRestore()
  expect(lines).toEqual([
    [1, 'Failed: Run these lines first.\n'],
    [1, 'Failed: out of space\n'],
  ])
})
