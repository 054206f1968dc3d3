import { runCommand } from './program.ts'
import { interruption } from './terminal.ts'

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

process.exitCode = await runCommand(process.argv.slice(2))
// A pipe that nobody closes would keep us waiting.
process.stdin.destroy()
