import { spawn } from 'node:child_process'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'

/** A running program with all of its child processes. */
export type Stage = {
  /** Exit code, once all of its processes have ended; null if the program was ended. */
  ended: Promise<number | null>
  /** Ends the program and all of its processes. */
  end(): void
}

/**
 * Runs a program with Node in a separate process group. Remaining processes of the group are ended when the program has
 * ended, or when this process has.
 * @param args arguments of `node` on the command line
 * @param options.limitMs how long it may run, in milliseconds
 * @param options.onTimeout called when it has run that long, before it is ended
 * @param options.onOutput called with each part of its output, which is printed otherwise
 */
export function runStage(
  args: readonly string[],
  {
    limitMs,
    onTimeout,
    onOutput,
    ...options
  }: {
    limitMs: number
    onTimeout(): void
    onOutput?: (text: string) => void
    cwd: string
    env: NodeJS.ProcessEnv
  },
): Stage {
  const reaper = startProcessReaper()
  const output = onOutput ? 'pipe' : 'inherit'
  const child = spawn(process.execPath, args, {
    ...options,
    stdio: ['ignore', output, output],
    detached: true,
  })
  for (const stream of [child.stdout, child.stderr])
    if (onOutput) stream?.setEncoding('utf8').on('data', onOutput)
  if (child.pid !== undefined) reaper.endGroup(child.pid)
  const timer = setTimeout(() => {
    onTimeout()
    reaper.dismiss()
  }, limitMs)
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(1))
    child.once(onOutput ? 'close' : 'exit', resolve)
  }).then(async (code) => {
    clearTimeout(timer)
    await reaper.dismiss()
    return code
  })
  return { ended, end: () => void reaper.dismiss() }
}
