import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Measures the way from an empty database to 300 customers with profiles, members, keys and assets: runs the five
// commands of docs/operate/customers.md on generated files. Prints the duration of each command, including the start of the
// process and of the embedded database.

const CUSTOMERS = 300
const MEMBERS = 5
const ASSETS = 10

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-onboarding-'))
const ids = Array.from({ length: CUSTOMERS }, (_, at) => `company-${String(at + 1).padStart(3, '0')}`)

function customersFile(): string {
  const header =
    'customer,name,domain,contactEmail,profile,profileName,profileCity,profileCountry,issuer,issuerCity,member,memberName,roles,memberProfiles,noticesTo,notices'
  const rows = ids.flatMap((id) => [
    `${id},Company ${id.slice(-3)} AG,${id}.example,it@${id}.example,default,Company ${id.slice(-3)} AG,Zurich,CH,Cloud Resale Ltd,Dublin,admin@${id}.example,Ada Admin,admin,,ap@${id}.example,"new, past-due"`,
    ...Array.from({ length: MEMBERS - 1 }, (_, at) => {
      const profile = at === 0 ? 'emea,Company GmbH,Berlin,DE' : ',,,'
      return `${id},,,,${profile},,,m${at}@${id}.example,Member ${at},"it-manager, finance-user",${at === 1 ? 'emea' : ''},,`
    }),
  ])
  return [header, ...rows, ''].join('\n')
}

function assetsFile(): string {
  const assets = ids.flatMap((id) =>
    Array.from({ length: ASSETS }, (_, at) => ({
      id: `workspace-suite-${id}-${at}`,
      type: 'workspace-suite',
      name: 'Workspace Business Plus',
      customerDomain: `${id}.example`,
      vendorCustomerId: `C-${id}`,
      reseller: 'sales@reseller.example',
      createdAt: '2024-03-01T09:00:00Z',
      subscription: {
        id: `S-${id}-${at}`,
        skuId: '1010020025',
        skuName: 'Business Plus',
        billingMethod: 'ONLINE',
        status: 'ACTIVE',
        planName: 'FLEXIBLE',
        isCommitmentPlan: false,
        seats: { purchased: 40, maximum: 40, assigned: 35 },
      },
    })),
  )
  return assets.map((asset) => `${JSON.stringify(asset)}\n`).join('')
}

function run(...args: string[]): Promise<{ seconds: number; err: string }> {
  const began = performance.now()
  const program = ['--conditions=react-server', '--no-warnings', 'lib/admin/main.ts']
  const env = { ...process.env, DATABASE_URL: '', DATA_DIR: join(folder, 'data'), INIT_CWD: folder }
  const child = spawn(process.execPath, [...program, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve({ seconds: (performance.now() - began) / 1000, err })
      else reject(new Error(`${args.join(' ')} ended with ${code}: ${err}`))
    })
  })
}

const keys = ids.map((id) => `${id},ERP,"it-manager, finance-user",90\n${id},Reports,finance-user,30\n`)
writeFileSync(join(folder, 'customers.csv'), customersFile())
writeFileSync(join(folder, 'assets.ndjson'), assetsFile())
writeFileSync(join(folder, 'keys-wanted.csv'), `customer,name,roles,days\n${keys.join('')}`)

const COMMANDS = [
  ['database', 'migrate'],
  ['customers', 'import', 'customers.csv', '--dry-run'],
  ['customers', 'import', 'customers.csv', '--yes', '--links', 'links.csv'],
  ['import', 'assets', 'assets.ndjson', '--by-domain'],
  ['customers', 'issue-keys', 'keys-wanted.csv', '--out', 'keys.csv'],
]
try {
  let all = 0
  for (const args of COMMANDS) {
    const { seconds, err } = await run(...args)
    all += seconds
    console.log(
      `${seconds.toFixed(1).padStart(6)} s  ${args.join(' ')}  ${err.trim().split('\n').at(-1) ?? ''}`,
    )
  }
  const lines = (file: string) => readFileSync(join(folder, file), 'utf8').trim().split('\n').length - 1
  console.log(
    `${all.toFixed(1).padStart(6)} s  ${CUSTOMERS} customers, ${lines('links.csv')} links, ${lines('keys.csv')} keys`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
