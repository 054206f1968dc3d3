import { openConnection } from './tcp-connection.ts'

export type Load = {
  /** Number of requests that were answered with 200. */
  answered(): number
  /** Other results, each in a few words: no request was sent twice. */
  failures: string[]
  /** Stops the clients; resolves when the last request has been answered. */
  stop(): Promise<void>
}

/**
 * Starts clients that send one request after the other until they are stopped: half of them on a keep-alive connection,
 * half on a new one for each request. None of them retries.
 * @param nextRequest returns a client's nth request
 */
export function startLoad(
  url: string,
  clients: number,
  nextRequest: (
    nth: number,
    client: number,
  ) => { path: string; method?: string; headers: Record<string, string>; body?: string },
): Load {
  const failures: string[] = []
  let [answered, isOver] = [0, false]
  const run = async (client: number) => {
    const reusesConnection = client % 2 === 0
    let line = openConnection(url)
    for (let nth = 0; !isOver; nth++) {
      const { path, ...options } = nextRequest(nth, client)
      const fault = await line.request(path, options).then(
        ({ status, body }) => (status === 200 ? undefined : `${status} ${body}`),
        (error: Error) => `${options.method ?? 'GET'} ${path}: ${error.message}`,
      )
      if (fault === undefined) answered += 1
      else failures.push(fault)
      if (reusesConnection) continue
      line.close()
      line = openConnection(url)
    }
    line.close()
  }
  const all = Array.from({ length: clients }, (_, client) => run(client))
  return {
    answered: () => answered,
    failures,
    async stop() {
      isOver = true
      await Promise.all(all)
    },
  }
}
