import 'server-only'
import type { Worker } from 'node:worker_threads'
import { threadEnv } from '#lib/platform/runtime/thread-env.ts'

/** Heap limit of the thread, in MB: exceeding it ends the thread instead of the process. 5,000 lines need a quarter. */
const LIMITS = { maxOldGenerationSizeMb: 256 }
/**
 * Size of the young generation's semi-space, in MB, half of its memory: the process's option would apply to the thread,
 * too.
 */
const NEW_OBJECTS = '--max-semi-space-size=4'

/** Longest time of a task, and time after which an idle thread ends, in milliseconds. */
const TIMES = { longest: 30_000, idle: 20_000 }

/** Result of a task in the thread. */
export type TaskResult = { bytes: Uint8Array<ArrayBuffer> } | { failure: string }

/**
 * Returns a worker thread for work that would block other requests. The first task starts the thread, which ends after
 * a while without tasks and then frees its memory. A thread that dies or takes too long fails its current task only:
 * the next one gets a new thread. The thread has no environment variables, and so no secrets.
 * @param script URL of the thread's module, which answers each message with a `TaskResult`, one at a time
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
     * Runs a task, which is copied to the thread, and returns its bytes. One at a time: callers have to queue.
     * @throws Error if the task failed, or the thread died or took too long
     */
    async run(task: Task): Promise<Uint8Array> {
      clearTimeout(resting)
      worker ??= started(script)
      try {
        const result = await resultOf(worker, task, longest)
        if ('bytes' in result) return result.bytes
        throw new Error(result.failure)
      } catch (error) {
        // The thread's state is unknown: the next task gets a new one.
        void leave()
        throw error
      } finally {
        resting = setTimeout(leave, idle).unref()
      }
    },
    /** Returns whether the thread is running. */
    isRunning: () => worker !== undefined,
  }
}

function started(script: URL): Worker {
  // Not imported: a bundler would look for the thread's module among its own.
  const threads = process.getBuiltinModule('node:worker_threads')
  // Read when a heap is created: applies to this and later threads, not to the process's existing heap.
  process.getBuiltinModule('node:v8').setFlagsFromString(NEW_OBJECTS)
  const worker = new threads.Worker(script, {
    env: threadEnv(),
    execArgv: ['--conditions=react-server', '--disable-warning=ExperimentalWarning'],
    resourceLimits: LIMITS,
  })
  // The next task notices an error of an idle thread; without a listener it would end the process.
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
