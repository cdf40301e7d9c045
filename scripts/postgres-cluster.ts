import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort, startPostgres } from './postgres.ts'
import { asUnprivilegedUser } from './postgres-programs.ts'

export interface PrivateCluster {
  /** The primary, without a pooler, for administration. */
  url: string
  /** The primary through PgBouncer in transaction mode. */
  poolerUrl: string
  /** A streaming replica that shows each commit `lagSeconds` later. */
  replicaUrl: string
  stop: () => Promise<void>
}

const PGBOUNCER = process.env['PGBOUNCER'] ?? 'pgbouncer'

/** Whether PgBouncer is installed. Debian installs it to a folder that only root has in its path. */
const findPgBouncer = (): string | null =>
  [PGBOUNCER, '/usr/sbin/pgbouncer'].find((program) => spawnSync(program, ['--version']).status === 0) ?? null

/** Starts a primary, a replica that lags, and PgBouncer in front of the primary. All of them end with this process. */
export async function startCluster({ lagSeconds = 2 } = {}): Promise<PrivateCluster> {
  const program = findPgBouncer()
  if (!program) throw new Error('PgBouncer was not found on this machine: install the package pgbouncer.')
  const settings = { wal_level: 'replica', max_wal_senders: '4' }
  const primary = await startPostgres({ settings })
  const replica = await startPostgres({ replicaOf: primary.port, settings: { ...settings, recovery_min_apply_delay: `${lagSeconds}s` } })
  const pooler = await startPgBouncer(program, primary.port)
  return {
    url: primary.url,
    poolerUrl: `postgres://postgres@127.0.0.1:${pooler.port}/postgres`,
    replicaUrl: replica.url,
    async stop() {
      await pooler.stop()
      await replica.stop()
      await primary.stop()
    },
  }
}

/** Few server connections, so that consecutive transactions of a client often run in different sessions. */
const POOL_SIZE = 8

async function startPgBouncer(program: string, primaryPort: number): Promise<{ port: number; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-pgbouncer-'))
  const port = await freePort()
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    default_pool_size: POOL_SIZE,
    max_client_conn: 500,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(settings.auth_file, '"postgres" ""\n')
  writeFileSync(join(folder, 'pgbouncer.ini'), `[databases]\n* = host=127.0.0.1 port=${primaryPort}\n[pgbouncer]\n${lines.join('\n')}\n`)
  spawnSync('chmod', ['-R', 'a+rX', folder])
  const [command, args] = asUnprivilegedUser(program, ['-q', join(folder, 'pgbouncer.ini')])
  const child = spawn(command, args, { cwd: '/', stdio: 'ignore', detached: true })
  const kill = () => {
    child.kill('SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', kill)
  await once(child, 'spawn')
  for (let attempt = 1; !(await responds(port)); attempt++) {
    if (attempt === 200 || child.exitCode !== null) throw new Error('PgBouncer did not start.')
    await sleep(50)
  }
  return {
    port,
    async stop() {
      process.off('exit', kill)
      const ended = once(child, 'exit')
      kill()
      await ended
    },
  }
}

async function responds(port: number): Promise<boolean> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', password: '' })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
