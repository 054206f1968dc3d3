import { spawn } from 'node:child_process'
import { vi } from 'vitest'
import { type Ended, runHere } from './test-run.ts'

/** Runs the operator's commands on the database at `url`, with `folder` as working directory. */
export function commandLine(url: () => string, folder: string) {
  /**
   * Starts a separate process like npm does, for tests of process behavior.
   * @param more further arguments, which may contain spaces
   * @param where the database, if not the default one
   */
  function start(args: string, more: string[] = [], where = `DATABASE_URL=${url()}`) {
    const program = [process.execPath, '--conditions=react-server', '--no-warnings', 'lib/admin/main.ts']
    const settings = ['-u', 'DATABASE_URL', `INIT_CWD=${folder}`, where]
    const child = spawn('env', [...settings, ...program, ...args.split(' '), ...more])
    const output = { out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      output.out += chunk
    })
    child.stderr.on('data', (chunk) => {
      output.err += chunk
    })
    child.stdin.on('error', () => {})
    const ended = new Promise<Ended>((resolve) => {
      child.on('close', (code) => resolve({ code, ...output }))
    })
    return { child, output, ended }
  }

  /** Like `start`, but in this process, which takes a twentieth of the time. */
  async function admin(args: string, input = '', more: string[] = [], where = url()): Promise<Ended> {
    vi.stubEnv('DATABASE_URL', where)
    vi.stubEnv('INIT_CWD', folder)
    return runHere([...args.split(' '), ...more], input)
  }

  return { start, admin }
}
