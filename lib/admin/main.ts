import { runCommand } from './program.ts'
import { interruption } from './terminal.ts'

// The reader of our output may close the pipe early (`| head`).
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // The second signal exits immediately; PostgreSQL rolls back open transactions.
  process.once(name, () => interruption.abort(new Error('Interrupted: nothing was stored.')))
}

process.exitCode = await runCommand(process.argv.slice(2))
// A pipe that stays open would keep the process alive.
process.stdin.destroy()
