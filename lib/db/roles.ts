import type pg from 'pg'

const ROLES = ['console_app', 'console_access', 'console_jobs'] as const

/**
 * Makes the roles that the app runs as and lets the connected login become them. Any login that may
 * create roles will do; it need not be a superuser. Runs at each start, before the migrations.
 * @throws Error with the SQL that an administrator has to run, when this login may not
 */
export async function ensureRoles(client: pg.Client): Promise<void> {
  for (const role of ROLES) {
    try {
      const { rows } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role])
      // Another database of the same server may make it at the same moment: then it is there.
      if (rows.length === 0) await client.query(`CREATE ROLE ${role} NOLOGIN`).catch(ignoreDuplicate)
      const { rows: member } = await client.query(
        "SELECT FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid JOIN pg_roles u ON u.oid = m.member WHERE r.rolname = $1 AND u.rolname = current_user AND (to_jsonb(m) ->> 'set_option') IS DISTINCT FROM 'false'",
        [role],
      )
      if (member.length === 0) await client.query(`GRANT ${role} TO CURRENT_USER`).catch(ignoreDuplicate)
    } catch (error) {
      throw new Error(
        `The database login may not make or take the role ${role}. As the server's administrator, run: ` +
          `${ROLES.map((name) => `CREATE ROLE ${name} NOLOGIN;`).join(' ')} GRANT ${ROLES.join(', ')} TO <login>;`,
        { cause: error },
      )
    }
  }
}

function ignoreDuplicate(error: { code?: string }): void {
  // duplicate_object, or unique_violation when two creations race
  if (error.code !== '42710' && error.code !== '23505') throw error
}
