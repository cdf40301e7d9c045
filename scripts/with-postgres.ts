import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { startCluster } from './postgres-cluster.ts'
import { startPostgres } from './postgres.ts'

const USAGE = 'node --import tsx scripts/with-postgres.ts [--durable] [--database-url] [--cluster] -- <command…>'
const FLAGS = ['--durable', '--database-url', '--cluster']

/**
 * Runs a command with a private PostgreSQL in TEST_DATABASE_URL, and exits with the command's exit code. With `--cluster` there are also
 * PgBouncer in TEST_POOLER_URL and a replica that lags two seconds in TEST_REPLICA_URL.
 */
async function main(args: string[]): Promise<number> {
  const divider = args.indexOf('--')
  const flags = args.slice(0, divider)
  const [command, ...rest] = args.slice(divider + 1)
  if (divider < 0 || !command || flags.some((flag) => !FLAGS.includes(flag))) {
    console.error(`Usage: ${USAGE}`)
    return 2
  }
  const interrupted = Promise.withResolvers<NodeJS.Signals>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.resolve(signal))
  const cluster = flags.includes('--cluster') ? await startCluster() : null
  const postgres = cluster ?? (await startPostgres({ durable: flags.includes('--durable') }))
  try {
    const clusterUrls = cluster && { TEST_POOLER_URL: cluster.poolerUrl, TEST_REPLICA_URL: cluster.replicaUrl }
    const urls = {
      TEST_DATABASE_URL: postgres.url,
      ...clusterUrls,
      ...(flags.includes('--database-url') && { DATABASE_URL: postgres.url }),
    }
    const child = spawn(command, rest, { stdio: 'inherit', env: { ...process.env, ...urls } })
    void interrupted.promise.then((signal) => child.kill(signal))
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    return code ?? 128 + (signal ? constants.signals[signal] : 0)
  } finally {
    await postgres.stop()
  }
}

process.exitCode = await main(process.argv.slice(2))
