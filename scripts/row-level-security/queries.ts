/** Rows of the catalog for a table, a policy, a grant on a table or its column, and a grant on any other object. */
export type Table = { oid: number; schema: string; name: string; is_on: boolean; is_forced: boolean }
export type Policy = {
  oid: number
  name: string
  permissive: boolean
  command: string
  roles: string[]
  using: string | null
  check: string | null
}
export type Grant = { oid: number; role: string; privilege: string; column: string | null }
export type Other = {
  kind: string
  name: string
  note: string
  role: string | null
  privilege: string | null
}

/** Returns SQL for the name of a role by its oid: the owner of the database is `owner`. */
const nameOf = (oid: string) =>
  `CASE WHEN ${oid} = 0 THEN 'PUBLIC' WHEN pg_get_userbyid(${oid}) IN (current_user, 'pg_database_owner') THEN 'owner'
    ELSE pg_get_userbyid(${oid})::text END`

export const TABLES = `
  SELECT c.oid, n.nspname AS schema, c.relname AS name, c.relrowsecurity AS is_on, c.relforcerowsecurity AS is_forced
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  ORDER BY n.nspname <> 'public', n.nspname COLLATE "C", c.relname COLLATE "C"`

export const POLICIES = `
  SELECT p.polrelid AS oid, p.polname AS name, p.polpermissive AS permissive,
    CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END AS command,
    ARRAY(SELECT ${nameOf('r')} FROM unnest(p.polroles) r) AS roles,
    pg_get_expr(p.polqual, p.polrelid) AS using, pg_get_expr(p.polwithcheck, p.polrelid) AS check
  FROM pg_policy p ORDER BY p.polname COLLATE "C"`

// Leaves out the owner's privileges on the owner's objects. An object without an ACL has the default of its kind.
const grantee = `${nameOf('g.grantee')} AS role`
export const GRANTS = `
  SELECT c.oid, ${grantee}, g.privilege_type AS privilege, NULL AS column, 0 AS place
  FROM pg_class c, aclexplode(c.relacl) g WHERE g.grantee <> c.relowner
  UNION ALL
  SELECT c.oid, ${grantee}, g.privilege_type, a.attname, a.attnum
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped, aclexplode(a.attacl) g
  WHERE g.grantee <> c.relowner
  ORDER BY place`

export const OTHERS = `
  SELECT 'Schemas' AS kind, n.nspname::text AS name, ' of \`' || ${nameOf('n.nspowner')} || '\`' AS note, ${grantee}, g.privilege_type AS privilege
  FROM pg_namespace n LEFT JOIN aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) g ON g.grantee <> n.nspowner
  WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  UNION ALL
  SELECT 'Sequences', n.nspname || '.' || c.relname, '', ${grantee}, g.privilege_type
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN aclexplode(coalesce(c.relacl, acldefault('s', c.relowner))) g ON g.grantee <> c.relowner
  WHERE c.relkind = 'S' AND n.nspname !~ '^pg_'
  UNION ALL
  SELECT 'Functions', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
    CASE WHEN p.prosecdef THEN ', with the rights of \`' || ${nameOf('p.proowner')} || '\`' ELSE '' END,
    ${grantee}, g.privilege_type
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    LEFT JOIN aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g ON g.grantee <> p.proowner
  WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND p.prorettype <> 'trigger'::regtype`
