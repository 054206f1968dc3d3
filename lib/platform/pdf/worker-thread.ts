import 'server-only'
import type { Worker } from 'node:worker_threads'

/** Of the thread's own heap, in MB: what needs more ends the thread, and not the process. 5,000 lines need a quarter. */
const LIMITS = { maxOldGenerationSizeMb: 256 }
/** Room for what is made and dropped again, twice as many MB: the process's own option would hold for the thread too. */
const NEW_OBJECTS = '--max-semi-space-size=4'

/** In milliseconds: how long one task may take, and how long the thread stays when there is nothing to do. */
const TIMES = { longest: 30_000, idle: 20_000 }

/** What the thread says of a task. */
export type TaskResult = { bytes: Uint8Array<ArrayBuffer> } | { failure: string }

/**
 * A thread of its own for work that would hold up everybody else's requests. It is started by the first task, ends when
 * there was none for a while, and gives its memory back then. One that dies or takes too long is an error for its task
 * alone: the next one gets another thread. It gets no environment, and with it no secret.
 * @param script address of the module that the thread runs: it answers each message with a `Told`, one at a time
 */
export function threadOf<Task>(script: URL, { longest, idle } = TIMES) {
  let worker: Worker | undefined
  let resting: NodeJS.Timeout | undefined

  const leave = () => {
    const left = worker
    worker = undefined
    return left?.terminate()
  }
  return {
    /**
     * What the thread made of a task, which is copied to it. Only one at a time: whoever has more waits.
     * @throws Error where it failed, died or took too long
     */
    async run(task: Task): Promise<Uint8Array> {
      clearTimeout(resting)
      worker ??= started(script)
      try {
        const result = await resultOf(worker, task, longest)
        if ('bytes' in result) return result.bytes
        throw new Error(result.failure)
      } catch (error) {
        // In an unknown state: what comes next gets another one.
        void leave()
        throw error
      } finally {
        resting = setTimeout(leave, idle).unref()
      }
    },
    /** Whether a thread is there now. */
    isRunning: () => worker !== undefined,
  }
}

function started(script: URL): Worker {
  // Not imported: a bundler would look for the thread's module among its own.
  const threads = process.getBuiltinModule('node:worker_threads')
  const { getCompileCacheDir } = process.getBuiltinModule('node:module')
  // Read when a heap is made: this thread's and later ones', while the process has its own already.
  process.getBuiltinModule('node:v8').setFlagsFromString(NEW_OBJECTS)
  const cache = getCompileCacheDir()
  const worker = new threads.Worker(script, {
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
    execArgv: ['--conditions=react-server', '--disable-warning=ExperimentalWarning'],
    resourceLimits: LIMITS,
  })
  // What ends while nobody waits is seen by the next task; without a listener it would end the process.
  worker.on('error', () => {})
  worker.unref()
  return worker
}

function resultOf(worker: Worker, task: unknown, longest: number): Promise<TaskResult> {
  const { promise, resolve, reject } = Promise.withResolvers<TaskResult>()
  const died = () => reject(new Error('The drawing thread died.'))
  const timer = setTimeout(() => reject(new Error('The drawing thread took too long.')), longest)
  worker.once('message', resolve).once('error', reject).once('exit', died).postMessage(task)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', reject).off('exit', died)
  })
}
