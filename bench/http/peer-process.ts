import { peer } from './peer.ts'

// The peer as a separate process: node bench/http/peer-process.ts <URL of the database>
const app = peer(process.argv[2] ?? '')
process.stdout.write(`Listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
process.once('SIGTERM', () => app.close().then(() => process.exit(0)))
