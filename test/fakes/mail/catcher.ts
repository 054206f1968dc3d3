import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { type Mail, readMail } from './message.ts'

/** Command at which a mail server fails; `drop` cuts the connection when it has the message, before its response. */
export type Fault = {
  at: 'greeting' | 'sender' | 'recipient' | 'message' | 'drop'
  code?: number
  text?: string
}

export type Catcher = {
  url: string
  /** Accepted messages, in order. */
  mails: Mail[]
  /** Messages that arrived completely, but whose sender got no response. */
  dropped: Mail[]
  /** Number of connections that were opened. */
  connections: number
  /** Fault of each recipient; `*` applies to all recipients. */
  faults: Map<string, Fault>
  /** Delay of a message's response, which a test controls. */
  hold: (() => Promise<void>) | undefined
  close(): Promise<void>
}

/** Starts a mail server on this machine that stores its messages, and fails as `faults` says. */
export async function startCatcher(options: SMTPServerOptions = {}): Promise<Catcher> {
  const faultFor = (to: string, at: Fault['at']) => {
    const fault = catcher.faults.get(to) ?? catcher.faults.get('*')
    return fault?.at === at ? fault : undefined
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onConnect(_, done) {
      catcher.connections += 1
      done(errorFor(faultFor('*', 'greeting')))
    },
    onMailFrom: (_, __, done) => done(errorFor(faultFor('*', 'sender'))),
    onRcptTo: ({ address }, _, done) => done(errorFor(faultFor(address, 'recipient'))),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const to = envelope.rcptTo.map(({ address }) => address)
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        const mail = readMail(from, to, Buffer.concat(chunks).toString('latin1'))
        await catcher.hold?.()
        if (faultFor(to[0] ?? '', 'drop')) return drop(mail)
        const error = errorFor(faultFor(to[0] ?? '', 'message'))
        if (!error) catcher.mails.push(mail)
        done(error)
      })
    },
    ...options,
  })
  const drop = (mail: Mail) => {
    catcher.dropped.push(mail)
    for (const connection of server.connections) (connection as unknown as Connection)._socket.destroy()
  }
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const catcher: Catcher = {
    url: `smtp://127.0.0.1:${port}`,
    mails: [],
    dropped: [],
    connections: 0,
    faults: new Map(),
    hold: undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return catcher
}

type Connection = { _socket: { destroy(): void } }

function errorFor(fault: Fault | undefined): Error | undefined {
  if (!fault) return undefined
  const { code = 550, text = 'No such user here' } = fault
  return Object.assign(new Error(text), { responseCode: code })
}
