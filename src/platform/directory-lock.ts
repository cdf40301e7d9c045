import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { open, readdir, realpath, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensurePrivateFolder } from './private-folder.ts'

export class DirectoryInUseError extends Error {
  constructor(folder: string) {
    super(`The data folder ${folder} is in use by another Lanyard process. Stop it first, or set DATABASE_URL to use PostgreSQL.`)
    this.name = 'DirectoryInUseError'
  }
}

export interface DirectoryLock {
  release: () => Promise<void>
}

/**
 * Locks a folder for this process by listening on a socket in it. The operating system closes the socket when the process ends, so no
 * process ids need to be checked. It does not work across machines that share a disk.
 */
export async function lockDirectory(folder: string): Promise<DirectoryLock> {
  await ensurePrivateFolder(folder)
  if (process.platform === 'win32') return lockByPipe(folder)
  const sockets = join(folder, 'lock')
  await ensurePrivateFolder(sockets)
  const deadline = Date.now() + 5000
  while (Date.now() < deadline) {
    const claim = await makeClaim(sockets)
    const outcome = await contendForLock(claim, sockets, deadline).catch(async (error: unknown) => {
      await claim.release()
      throw error
    })
    if (outcome === 'won') return claim
    await claim.release()
    if (outcome === 'held') break
    await sleep(50 + Math.random() * 100)
  }
  throw new DirectoryInUseError(folder)
}

type State = 'claiming' | 'holding' | 'dead'

interface Claim extends DirectoryLock {
  name: string
  hold: () => void
}

/**
 * Creates a claim (a socket in the folder by which a process requests the lock). Every claim has a unique name that is never reused, so
 * removing the claim of a dead process cannot remove that of a running one.
 */
async function makeClaim(sockets: string): Promise<Claim> {
  const name = `${randomUUID()}.sock`
  let state: State = 'claiming'
  const server = createServer((socket) =>
    socket
      .unref()
      .on('error', () => {})
      .end(state),
  )
  // The socket is renamed to its final name only once it listens. Otherwise another process would take its owner for dead.
  await withShortSocketPath(sockets, `${name}.new`, (path) => listen(server, path))
  await rename(join(sockets, `${name}.new`), join(sockets, name))
  return {
    name,
    hold: () => (state = 'holding'),
    async release() {
      server.close()
      await rm(join(sockets, name), { force: true })
    },
  }
}

/**
 * Decides which claim gets the lock. Of two claims the later one always sees the earlier, so two claims can never both find themselves
 * alone. Among claims that see each other, the first by name waits and the others withdraw.
 */
async function contendForLock(claim: Claim, sockets: string, deadline: number): Promise<'won' | 'held' | 'step back'> {
  while (Date.now() < deadline) {
    const names = (await readdir(sockets)).filter((name) => name.endsWith('.sock') && name !== claim.name)
    const others = await Promise.all(names.map(async (name) => ({ name, state: await readClaimState(sockets, name) })))
    const dead = others.filter((other) => other.state === 'dead')
    await Promise.all(dead.map((other) => rm(join(sockets, other.name), { force: true })))
    if (dead.length === others.length) {
      claim.hold()
      return 'won'
    }
    if (others.some((other) => other.state === 'holding')) return 'held'
    if (others.some((other) => other.state === 'claiming' && other.name < claim.name)) return 'step back'
    await sleep(20)
  }
  return 'step back'
}

/**
 * Returns whether the process of a claim is still running. If in doubt, the folder counts as locked: a false refusal costs a restart, a
 * false lock costs the database.
 */
function readClaimState(sockets: string, name: string): Promise<State> {
  return withShortSocketPath(sockets, name, (path) => {
    const { promise, resolve } = Promise.withResolvers<State>()
    let answer = ''
    const socket = connect(path)
      .setTimeout(1000, () => resolve('holding'))
      .on('data', (chunk) => (answer += chunk.toString()))
      .on('end', () => resolve(answer === 'holding' ? 'holding' : 'claiming'))
      .on('error', ({ code }: NodeJS.ErrnoException) => {
        if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve('dead')
        else resolve(code === 'ECONNRESET' ? 'claiming' : 'holding')
      })
    return promise.finally(() => socket.destroy())
  })
}

/**
 * Provides a short path to a socket. A socket path is limited to about 100 bytes; on Linux a longer one is reachable by the
 * descriptor of the open folder.
 */
export async function withShortSocketPath<T>(folder: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, name)
  if (Buffer.byteLength(path) <= 100) return use(path)
  if (process.platform !== 'linux') throw new Error(`The path ${folder} is too long for the lock of the data folder: choose a shorter one.`)
  const directory = await open(folder, 'r')
  try {
    return await use(`/proc/self/fd/${directory.fd}/${name}`)
  } finally {
    await directory.close()
  }
}

async function listen(server: Server, path: string): Promise<void> {
  server.listen(path)
  await once(server, 'listening')
  server.unref()
}

async function lockByPipe(folder: string): Promise<DirectoryLock> {
  const key = createHash('sha256')
    .update((await realpath(folder)).toLowerCase())
    .digest('hex')
  const server = createServer((socket) => socket.destroy())
  try {
    await listen(server, `\\\\.\\pipe\\lanyard-${key}`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE' || code === 'EACCES') throw new DirectoryInUseError(folder)
    throw error
  }
  return { release: async () => void server.close() }
}
