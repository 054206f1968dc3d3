import { execFile } from 'node:child_process'
import { parseArgs } from 'node:util'
import { adviceOf } from './advisories-report.ts'

// Lists the known flaws of the packages that the service uses, by the registry's audit. Exit code 1: a flaw is known; 2:
// the registry did not answer, as mirrors often don't.

const { values } = parseArgs({ options: { dev: { type: 'boolean', default: false } } })
const args = ['audit', '--json', ...(values.dev ? [] : ['--omit', 'dev'])]

execFile('npm', args, { maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' }, (_, stdout) => {
  const { lines, code } = adviceOf(stdout)
  process.stdout.write(`${lines.join('\n')}\n`)
  process.exitCode = code
})
