import type pg from 'pg'
import { settingsOf } from './client.ts'
import { LOGINS, type Login, markerOf, verifierOf } from './logins.ts'

type Role = { rolcanlogin: boolean; mark: string | null; kept: string[] }

/** Group role without login: the previous release's look-ups run as it, and the first migrations grant to it. */
const FORMER = 'console_access'

const DUPLICATE_OBJECT = '42710'
/** Two processes create the role concurrently. */
const UNIQUE_VIOLATION = '23505'

/**
 * Makes the logins of the pools, with passwords that follow from DATABASE_SECRET. Any owner who may create roles will
 * do; it need not be a superuser. They belong to the server: several databases on it share them.
 * @param options.renew gives logins that were made with another secret the passwords of this one
 * @throws Error with the SQL that an administrator has to run, where this owner may not; or that the secret is another
 */
export async function ensureLogins(owner: pg.Client, { renew = false } = {}): Promise<void> {
  for (const login of LOGINS) {
    const role = await roleOf(owner, login)
    if (!isOurs(role, login)) {
      if (role?.rolcanlogin && !renew) throw otherSecret(login)
      await make(owner, login, role).catch((error: unknown) => {
        throw mayNot(login, error)
      })
    }
    await applySettings(owner, login)
  }
  const { rows } = await owner.query('SELECT FROM pg_roles WHERE rolname = $1', [FORMER])
  if (rows.length === 0) await owner.query(`CREATE ROLE ${FORMER} NOLOGIN`).catch(ignoreDuplicate)
  await becomeJobs(owner)
}

/** Returns whether `ensureLogins` has work to do. */
export async function lackLogins(owner: pg.Client): Promise<boolean> {
  for (const login of LOGINS) {
    const role = await roleOf(owner, login)
    if (!isOurs(role, login) || missingSettings(login, role).length > 0) return true
  }
  return false
}

function isOurs(role: Role | undefined, login: Login): boolean {
  return role?.rolcanlogin === true && role.mark === markerOf(login)
}

/** Returns the statements for settings that differ from `settingsOf`. */
function missingSettings(login: Login, role?: Role): string[] {
  const has = new Set(role?.kept.map((each) => each.toLowerCase()))
  return Object.entries(settingsOf(login))
    .filter(([name, value]) => !has.has(`${name}=${value}`.toLowerCase()))
    .map(([name, value]) => `ALTER ROLE ${login} SET ${name} = '${value}'`)
}

/** The release that starts last sets the limits: other releases accept its values within bounds. */
async function applySettings(owner: pg.Client, login: Login): Promise<void> {
  const readMissing = async () => missingSettings(login, await roleOf(owner, login))
  try {
    for (const query of await readMissing()) await owner.query(query)
  } catch (error) {
    // Another database of the same server may set them concurrently.
    const left = await readMissing()
    if (left.length > 0) throw mayNotSet(login, left, error)
  }
}

async function roleOf(owner: pg.Client, login: Login): Promise<Role | undefined> {
  const { rows } = await owner.query<Role>(
    "SELECT rolcanlogin, shobj_description(oid, 'pg_authid') AS mark, coalesce(rolconfig, '{}') AS kept FROM pg_roles WHERE rolname = $1",
    [login],
  )
  return rows[0]
}

async function make(owner: pg.Client, login: Login, role: Role | undefined): Promise<void> {
  const { create, alter, comment } = loginQueries(login)
  // Another database of the same server may create the login concurrently: then it exists.
  if (role) await owner.query(alter)
  else await owner.query(create).catch(ignoreDuplicate)
  await owner.query(comment)
}

function loginQueries(login: Login) {
  const rights = `LOGIN NOINHERIT PASSWORD '${verifierOf(login)}'`
  return {
    create: `CREATE ROLE ${login} ${rights}`,
    alter: `ALTER ROLE ${login} ${rights}`,
    comment: `COMMENT ON ROLE ${login} IS '${markerOf(login)}'`,
  }
}

// The job queue's schema belongs to its login, and is created by a migration.
async function becomeJobs(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query(
    "SELECT FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid JOIN pg_roles u ON u.oid = m.member WHERE r.rolname = 'console_jobs' AND u.rolname = current_user AND (to_jsonb(m) ->> 'set_option') IS DISTINCT FROM 'false'",
  )
  if (rows.length > 0) return
  await owner.query('GRANT console_jobs TO CURRENT_USER').catch((error: unknown) => {
    throw mayNot('console_jobs', error)
  })
}

function mayNot(login: Login, cause: unknown): Error {
  const logins = LOGINS.flatMap((each) => {
    const { create, comment } = loginQueries(each)
    return [create, comment, ...missingSettings(each)]
  })
  const all = [...logins, `CREATE ROLE ${FORMER} NOLOGIN`, 'GRANT console_jobs TO <owner>']
  return new Error(
    `The owner of the database may not make or take the login ${login}. As the server's administrator, run: ` +
      `${all.map((line) => `${line};`).join(' ')}`,
    { cause },
  )
}

function mayNotSet(login: Login, queries: readonly string[], cause: unknown): Error {
  return new Error(
    `The owner of the database may not set the limits of the login ${login}. As the server's administrator, run: ` +
      `${queries.map((line) => `${line};`).join(' ')}`,
    { cause },
  )
}

function otherSecret(login: Login): Error {
  return new Error(
    `The login ${login} of this server was made with another DATABASE_SECRET. Give the one that it was made with, ` +
      'or, where nothing else uses it, run `npm run admin -- database logins --renew`.',
  )
}

function ignoreDuplicate(error: { code?: string }): void {
  if (error.code !== DUPLICATE_OBJECT && error.code !== UNIQUE_VIOLATION) throw error
}
