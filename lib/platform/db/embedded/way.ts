import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { accountLaunch, knownAccounts } from './account.ts'
import { installedBinaries, useAServer } from './binaries.ts'
import { type Launch, works } from './launch.ts'

/**
 * Finds a way that works here: as the user that we are; as root through a user namespace; as root through
 * an unprivileged account. An existing cluster stays where it is, with the account that owns it.
 * @param dataDir absolute path
 * @param cluster real path of the cluster, if there is one already
 * @param namespaces false to do without user namespaces
 * @throws Error that says what stands in the way and names DATABASE_URL
 */
export async function chooseLaunch(
  dataDir: string,
  cluster: string | undefined,
  namespaces: boolean,
): Promise<Launch> {
  const data = cluster ?? join(dataDir, 'postgres')
  const plain: Launch = { how: 'as this user', binaries: await installedBinaries(), data, prefix: [] }
  const uid = process.getuid?.()
  if (uid === undefined) return plain
  const owner = cluster === undefined ? undefined : await stat(cluster)
  return uid === 0 ? rootLaunch(plain, dataDir, owner, namespaces) : userLaunch(plain, namespaces)
}

async function userLaunch(plain: Launch, namespaces: boolean) {
  if (hasName() || !namespaces) return plain
  return (await namespaceLaunch(plain, 'as this user')) ?? plain
}

async function rootLaunch(plain: Launch, dataDir: string, owner: Stats | undefined, namespaces: boolean) {
  const isRoots = owner?.uid === 0
  if (namespaces && (!owner || isRoots)) {
    const launch = await namespaceLaunch(plain, 'as root')
    if (launch) return launch
  }
  if (isRoots) {
    throw new Error(
      `${plain.data} was made by root through a user namespace, and that doesn't work here. ` +
        `Allow user namespaces, or give the folder to an unprivileged account (chown -R). ${useAServer}`,
    )
  }
  let reason = 'the account can not run the programs or reach a folder'
  const launch = await accountLaunch(plain, dataDir, owner).catch((error: Error) => {
    reason = error.message
  })
  if (launch) return launch
  throw new Error(
    'PostgreSQL refuses to run as root; user namespaces are not allowed here, ' +
      `and an unprivileged account does not work either (${reason}). ${useAServer}`,
  )
}

async function namespaceLaunch(plain: Launch, who: string): Promise<Launch | undefined> {
  // The id inside must be one with a name, which initdb looks up: 1000 has none in many containers.
  const { uid, gid } = (await knownAccounts()).find((account) => account.uid > 0) ?? { uid: 1000, gid: 1000 }
  const prefix = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`]
  const launch = { ...plain, prefix, how: `${who} through a user namespace` }
  return (await works(launch)) ? launch : undefined
}

/** A container may run us under an id without a name; then initdb fails outside of a namespace. */
function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}
