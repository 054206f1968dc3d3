import { resolve } from 'node:path'
import { listCustomerStates } from '#lib/identity/customers/store.ts'
import { issueKeys as issueAll } from '#lib/identity/keys/operator.ts'
import { problemList } from '#lib/imports/import-error.ts'
import { readTable } from '#lib/imports/resale/table.ts'
import { readText } from '#lib/imports/sources/read-text.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { ROLES, type Role } from '#lib/platform/caller/rules.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { checkedText } from '../command.ts'
import { operatorOf } from '../licenses/operator.ts'
import { counted, Interrupted, interruption, note } from '../terminal.ts'
import { openSecretFile, type SecretFile } from './secret-file.ts'

type KeyRequest = { customer: string; name: string; roles: Role[]; validDays: number }

const COLUMNS = { required: ['customer', 'name', 'roles'], optional: ['days'] } as const
const DAYS = 90

/**
 * Issues keys for customers, one per row of a file, and writes them into a new file. Issues none where a row is bad.
 * @throws ImportError that names each bad row
 */
export async function issueKeys(file: string, { out }: { out: string }): Promise<void> {
  const requests = await readRequests(file === '-' ? file : resolve(env().callerDir, file))
  const secrets = await openSecretFile(out, ['customer', 'name', 'id', 'key'])
  let done = 0
  try {
    for (const [customer, customerRequests] of Map.groupBy(requests, (one) => one.customer)) {
      if (interruption.signal.aborted)
        throw new Interrupted(`Interrupted: ${done} of ${counted(requests.length, 'key')} issued.`)
      done += await issueFor(customer, customerRequests, secrets)
    }
  } finally {
    await secrets.close()
  }
  note(`${counted(done, 'key is', 'keys are')} in ${out}. Keep the file: a key cannot be shown again.`)
}

/** Issues all keys of one customer, or none. */
async function issueFor(
  customer: string,
  requests: readonly KeyRequest[],
  secrets: SecretFile,
): Promise<number> {
  const operator = await operatorOf(customer, ['admin'])
  const issued = await issueAll(operator, requests)
  const rows = issued.map(({ id, secret }, index) => [customer, requests[index]?.name ?? '', id, secret])
  await secrets.add(rows)
  return rows.length
}

async function readRequests(file: string): Promise<KeyRequest[]> {
  const { states } = await listCustomerStates()
  const requests: KeyRequest[] = []
  const problems = problemList()
  await readTable(readText(file, interruption.signal), {
    file: '',
    columns: COLUMNS,
    onRow: ({ line, cells }) => {
      const { customer = '', name = '', roles = '', days = String(DAYS) } = cells
      const addProblem = (column: string, reason: string) => problems.add({ line, column, reason })
      const state = states.get(customer)
      const unknown = roles.split(/[,;|]/).find((role) => !isRole(role.trim()))
      if (!state) addProblem('customer', `there is no customer "${customer}"`)
      else if (state.closedAt) addProblem('customer', `${customer} is closed`)
      if (name === '') addProblem('name', 'is blank')
      if (unknown !== undefined)
        addProblem('roles', `there is no role "${unknown.trim()}"; there are ${ROLES.join(', ')}`)
      if (!/^\d{1,4}$/.test(days) || Number(days) < 1 || Number(days) > 3660)
        addProblem('days', 'is no number of days, 1 to 3660')
      const roleNames = roles.split(/[,;|]/).map((role) => role.trim())
      requests.push({
        customer,
        name: name && checkedText('name', name),
        roles: ROLES.filter((role) => roleNames.includes(role)),
        validDays: Number(days),
      })
      return undefined
    },
  })
  problems.throwIfAny()
  if (requests.length === 0) throw new Problem('invalid_request', 'There is no row in the file.')
  return requests
}

function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}
