import type { Login } from '#lib/platform/db/logins.ts'

/** Purpose of each role. A role without a line here does not compile. */
export const ROLES: Record<Login | 'owner' | 'console_access', string> = {
  owner: 'the role of `DATABASE_URL`: owns the tables, migrates, and runs the operator’s commands',
  console_app: 'reads and changes the rows of one customer',
  console_reads: 'reads the rows of one customer',
  console_streams: 'reads the rows of one customer for exports, which take minutes',
  console_keys: 'finds whose API key or SCIM token it is, and counts requests against limits',
  console_sessions: 'finds whose session it is',
  console_sign_in: 'checks passwords and second factors, and counts failed sign-ins',
  console_jobs: 'finds due work of all customers, and holds the job queue',
  console_access: 'cannot log in; earlier releases looked up callers with its rights',
}

export const INTRODUCTION = `# Row-level security and grants

Generated from a migrated database by \`npm run row-level-security\`; do not edit it. A test compares it with the database,
so this page shows the state after all migrations.

A role needs two things to reach a row: a **grant** for the command (on the table, or on the columns that it names), and,
where row-level security is on, a **policy** whose condition holds for the row. \`USING\` selects the existing rows that a
role sees, changes and deletes; \`WITH CHECK\` must hold for the rows that it writes, and is the same as \`USING\` where it is
not given. Without a policy for it, a role sees no row. "Forced" means that the policies bind the owner of the table, too.

Two settings of the transaction carry the customer: \`console.customer\`, set for each request, and \`console.operated\`, a list
of customers that an operator's command names. So most tables have the policies \`own\`, for the customer of the request,
and \`operated\`, for the owner. Policies for \`console_jobs\` and for the roles that look up callers reach across customers; they
come with grants for few columns.

The tables in the schema \`months\` are partitions of the history. Rows reach them through \`audit_chain\` and \`audit_events\`, whose
policies and grants apply; by their own names they show nothing.`
