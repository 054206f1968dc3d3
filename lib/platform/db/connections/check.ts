import type pg from 'pg'
import type { Login } from '../logins.ts'
import { LONGEST } from './limits.ts'

/** Of a connection that does not answer, in milliseconds. */
const PATIENCE = 2000

/** SQLSTATE of a connection that was refused: whoever asked is told that the service is not available. */
const REFUSED = '08004'

const LIMITED = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'] as const

const milliseconds = (name: string) =>
  `round(1000 * extract(epoch FROM current_setting('${name}')::interval))::float8 AS ${name}`
const WHO = `SELECT current_user AS login, rolsuper OR rolbypassrls AS mighty,
  current_setting('row_security') AS row_security, current_setting('timezone') AS timezone,
  ${LIMITED.map(milliseconds).join(', ')} FROM pg_roles WHERE rolname = current_user`

type Who = Record<(typeof LIMITED)[number], number> & {
  login: string
  mighty: boolean
  row_security: string
  timezone: string
}

/**
 * Looks who a new connection is, and within which limits, before anything is asked by it.
 * @throws Error that says in one line what is wrong: nothing is served by such a connection
 */
export async function checkConnection(client: pg.ClientBase, login: Login): Promise<void> {
  const { rows } = await client.query<Who>({ text: WHO, query_timeout: PATIENCE } as pg.QueryConfig)
  const wrong = whatIsWrong(login, rows[0] as Who)
  if (wrong) throw refused(wrong)
}

/**
 * The same for who a transaction is: a pooler may have another connection to the server for each.
 * @throws Error as `checkConnection`
 */
export function checkLogin(login: Login, found: unknown): void {
  if (found !== login) throw refused(otherLogin(login, String(found)))
}

function whatIsWrong(login: Login, { mighty, row_security, timezone, ...who }: Who): string | undefined {
  if (who.login !== login) return otherLogin(login, who.login)
  if (mighty)
    return `${login} may pass by row-level security. As the server's administrator, run: ALTER ROLE ${login} NOSUPERUSER NOBYPASSRLS;`
  if (row_security !== 'on')
    return `row_security is ${row_security} for ${login}. Run: ALTER ROLE ${login} RESET row_security;`
  for (const name of LIMITED) {
    if (who[name] === 0) return lacking(login, `${name} is off`)
    if (who[name] > LONGEST) return lacking(login, `${name} is ${who[name]} ms, more than ${LONGEST}`)
  }
  return timezone === 'UTC' ? undefined : lacking(login, `timezone is ${timezone}`)
}

function otherLogin(login: Login, found: string): string {
  return `The connection for ${login} is one of ${found}: a pooler must log in at the server as who asks it (pgbouncer: no "user=" in the database's line).`
}

function lacking(login: Login, what: string): string {
  return `${what} for ${login}. Run \`npm run admin -- database logins\` as the database's owner, and RECONNECT in pgbouncer, if there is one.`
}

/** An error for which a request is answered with 503. */
export function refused(reason: string): Error {
  return Object.assign(new Error(reason), { code: REFUSED })
}
