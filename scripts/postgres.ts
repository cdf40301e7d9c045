import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findPostgresBinaries, isRoot, asUnprivilegedUser } from './postgres-programs.ts'
import { createScratchFolder } from './scratch-folder.ts'

export interface PostgresOptions {
  /** Uses fsync and stores the data on disk: for benchmarks and kill tests. */
  durable?: boolean
  /** Additional server settings, such as `shared_buffers`. */
  settings?: Record<string, string>
  /** The port of a running server that this one becomes a streaming replica of. */
  replicaOf?: number
}

export interface PrivatePostgres {
  url: string
  port: number
  /** Kills the server and all of its processes as a crash would, and restarts it with the data on disk. */
  crash: () => Promise<void>
  /** Stops the server and removes its data. */
  stop: () => Promise<void>
}

const INITDB = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']

const UNSAFE_FAST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // No test database lives long enough for vacuum, statistics or checkpoints.
  autovacuum: 'off',
  jit: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '4GB',
}

/** A private server on a free port of this machine, without a password, which ends with this process. */
export async function startPostgres({ durable = false, settings = {}, replicaOf }: PostgresOptions = {}): Promise<PrivatePostgres> {
  const bin = findPostgresBinaries()
  const folder = durable ? mkdtempSync(join(tmpdir(), 'lanyard-postgres-')) : createScratchFolder('lanyard-postgres-')
  const data = join(folder, 'data')
  const log = join(folder, 'log')
  const all = {
    listen_addresses: '127.0.0.1',
    max_connections: '200',
    shared_buffers: '256MB',
    ...(durable ? {} : UNSAFE_FAST_SETTINGS),
    ...settings,
  }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let server: ChildProcess | undefined

  const launch = async (port: number) => {
    const output = openSync(log, 'a')
    const [command, args] = asUnprivilegedUser(join(bin, 'postgres'), ['-D', data, '-p', String(port), '-k', '', ...flags])
    // A separate process group, so that Ctrl-C reaches the tests first and the server when they are done.
    server = spawn(command, args, { cwd: '/', stdio: ['ignore', output, output], detached: true })
    closeSync(output)
    await once(server, 'spawn')
    return isReady(server, port, data)
  }
  const halt = async (signal: 'SIGQUIT' | 'SIGKILL') => {
    if (!server || hasEnded(server)) return
    const ended = once(server, 'exit')
    // Killing only the main process would leave child processes running for a while.
    const own = signal === 'SIGKILL' ? childrenOf(server.pid!) : []
    server.kill(signal)
    await ended
    for (const pid of own) await killAndWait(pid)
  }
  const killServer = () => {
    server?.kill('SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', killServer)
  const stop = async () => {
    await halt('SIGQUIT')
    process.off('exit', killServer)
    killServer()
  }
  const failure = () => new Error(`PostgreSQL did not start:\n${existsSync(log) ? readFileSync(log, 'utf8') : ''}`)

  try {
    if (isRoot) execFileSync('chown', ['postgres', folder])
    const [command, args] = replicaOf
      ? asUnprivilegedUser(join(bin, 'pg_basebackup'), ['-D', data, '-R', '--no-sync', '-c', 'fast', ...connectionFlags(replicaOf)])
      : asUnprivilegedUser(join(bin, 'initdb'), ['-D', data, ...INITDB])
    execFileSync(command, args, { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] })
    // Another process may take the free port first.
    let port = await freePort()
    for (let attempt = 1; !(await launch(port)); attempt++) {
      if (attempt === 3) throw failure()
      port = await freePort()
    }
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      port,
      async crash() {
        await halt('SIGKILL')
        if (!(await launch(port))) throw failure()
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const connectionFlags = (port: number) => ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres']

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** Kills a process and waits until it has exited, because its shared memory prevents another server from starting on the same data. */
async function killAndWait(pid: number): Promise<void> {
  try {
    for (process.kill(pid, 'SIGKILL'); ; await sleep(5)) process.kill(pid, 0)
  } catch {
    // The process has exited.
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

async function isReady(server: ChildProcess, port: number, data: string): Promise<boolean> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline && !hasEnded(server); await sleep(30)) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', password: '' })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query<{ data_directory: string }>('show data_directory')
      if (rows[0]?.data_directory === data) return true
    } catch {
      // The server is not ready yet.
    } finally {
      await client.end().catch(() => {})
    }
  }
  return false
}
