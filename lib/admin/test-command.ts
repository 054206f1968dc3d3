import { spawn } from 'node:child_process'

export type Outcome = { code: number | null; out: string; err: string }

/** Runs the operator's commands as npm does, on the database at `url`, where the user stands in `folder`. */
export function commandLine(url: () => string, folder: string) {
  /** A word with spaces can follow the others; `where` sets another database. */
  function start(words: string, more: string[] = [], where = `DATABASE_URL=${url()}`) {
    const program = [process.execPath, '--conditions=react-server', '--no-warnings', 'lib/admin/main.ts']
    const settings = ['-u', 'DATABASE_URL', `INIT_CWD=${folder}`, where]
    const child = spawn('env', [...settings, ...program, ...words.split(' '), ...more])
    const said: Outcome = { code: null, out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      said.out += chunk
    })
    child.stderr.on('data', (chunk) => {
      said.err += chunk
    })
    child.stdin.on('error', () => {})
    const outcome = new Promise<Outcome>((resolve) => {
      child.on('close', (code) => resolve({ ...said, code }))
    })
    return { child, said, outcome }
  }

  async function admin(words: string, input = '', more: string[] = [], where?: string): Promise<Outcome> {
    const { child, outcome } = start(words, more, where)
    child.stdin.end(input)
    return outcome
  }

  return { start, admin }
}
