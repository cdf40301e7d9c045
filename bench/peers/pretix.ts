import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/** A running pretix with one product, and a token for its API. */
export interface PretixServer {
  url: string
  token: string
  item: number
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const environmentFolder = join(root, 'node_modules/.cache/pretix')

/** Installs pretix into a virtual environment of its own, once. Needs Python and access to its package index. */
function install(): string {
  const bin = join(environmentFolder, 'bin')
  if (!existsSync(join(bin, 'gunicorn'))) {
    mkdirSync(environmentFolder, { recursive: true })
    execFileSync('python3', ['-m', 'venv', environmentFolder], { stdio: 'inherit' })
    execFileSync(join(bin, 'pip'), ['install', '--quiet', 'pretix', 'gunicorn'], { stdio: 'inherit' })
  }
  return bin
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

async function waitFor(url: string): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    const up = await fetch(url).then(
      () => true,
      () => false,
    )
    if (up) return
    await sleep(500)
  }
  throw new Error(`${url} does not answer`)
}

/** Starts pretix with this number of web processes on a new database of this server, with an event that sells one product. */
export async function startPretix(
  server: string,
  processes: number,
): Promise<PretixServer & { version: string; stop: () => Promise<void> }> {
  const bin = install()
  const folder = mkdtempSync(join(tmpdir(), 'pretix-'))
  const at = new URL(server)
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query('drop database if exists bench_pretix')
  await admin.query('create database bench_pretix')
  await admin.end()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const config = join(folder, 'pretix.cfg')
  writeFileSync(
    config,
    `[pretix]\ninstance_name=bench\nurl=${url}\ncurrency=EUR\ndatadir=${folder}\n` +
      `[database]\nbackend=postgresql\nname=bench_pretix\nuser=${at.username}\npassword=${at.password}\nhost=${at.hostname}\nport=${at.port}\n` +
      `[mail]\nfrom=bench@example.org\n[django]\nsecret=only-for-measurements\n`,
  )
  const options = { cwd: folder, env: { ...process.env, PRETIX_CONFIG_FILE: config } }
  const run = (...args: string[]) =>
    execFileSync(join(bin, 'python'), ['-m', 'pretix', ...args], { ...options, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  run('migrate')
  const setup = run('shell', '-c', readFileSync(join(root, 'bench/peers/pretix-setup.py'), 'utf8'))
  const { item, token } = JSON.parse(setup.trim().split('\n').at(-1)!) as Pick<PretixServer, 'item' | 'token'>
  const version = execFileSync(join(bin, 'pip'), ['show', 'pretix'])
    .toString()
    .match(/^Version: (.+)$/m)![1]!
  const workers = spawn(
    join(bin, 'gunicorn'),
    ['pretix.wsgi', '--bind', `127.0.0.1:${port}`, '--workers', String(processes), '--log-level', 'error'],
    {
      ...options,
      stdio: 'ignore',
    },
  )
  const end = () => void workers.kill('SIGTERM')
  process.once('exit', end)
  await waitFor(`${url}/healthcheck/`)
  const stop = async () => {
    const ended = new Promise((resolve) => workers.once('exit', resolve))
    end()
    await ended
    process.off('exit', end)
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, item, token, version, stop }
}
