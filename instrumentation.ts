/** Next calls this once as it starts. Under `next dev` and plain `next start` it opens the database. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { startDatabase } = await import('#lib/db/start.ts')
  await startDatabase()
}
