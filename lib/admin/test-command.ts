import { spawn } from 'node:child_process'
import { afterAll, vi } from 'vitest'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { type Ended, runHere } from './test-run.ts'

/** The database of the last command, which stays open: to connect and check the migrations takes longer than a command. */
let opened: { settings: string; close(): Promise<void> } | undefined

/** Opens the database of the next command. The command itself reports what is wrong. */
async function openFirst(): Promise<void> {
  try {
    const settings = JSON.stringify([databaseSettings(), env().dataDir])
    if (opened?.settings === settings) return
    await closeOpened()
    const started = await startDatabase()
    opened = { settings, close: started.stop }
    started.stop = async () => {}
  } catch {}
}

async function closeOpened(): Promise<void> {
  await opened?.close()
  opened = undefined
}

/** Runs the operator's commands on the database at `url`, with `folder` as working directory. */
export function commandLine(url: () => string, folder: string) {
  afterAll(closeOpened)

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
    await openFirst()
    return runHere([...args.split(' '), ...more], input)
  }

  return { start, admin }
}
