import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const OLDEST_SUPPORTED_VERSION = 15

/** Finds the oldest supported version, because what works there works on newer ones. */
export function findPostgresBinaries(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root)
    ? readdirSync(root)
        .map(Number)
        .filter((version) => version >= OLDEST_SUPPORTED_VERSION)
    : []
  const debian = versions
    .toSorted((a, b) => a - b)
    .map((version) => join(root, String(version), 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
  if (debian) return debian
  for (const bin of (process.env['PATH'] ?? '').split(':')) {
    const { stdout } = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' })
    if (Number(/\d+/.exec(stdout ?? '')?.[0]) >= OLDEST_SUPPORTED_VERSION) return bin
  }
  throw new Error(`No PostgreSQL ${OLDEST_SUPPORTED_VERSION} or newer was found on this machine.`)
}

export const isRoot = process.getuid?.() === 0

/** PostgreSQL refuses to run as root. If the system supports it, the process also ends when its parent is killed. */
export function asUnprivilegedUser(command: string, args: string[]): [string, string[]] {
  const user = isRoot ? ['--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  const withParent = ['--pdeathsig', 'QUIT']
  for (const options of [[...user, ...withParent], user]) {
    if (options.length && spawnSync('setpriv', [...options, 'true']).status === 0) return ['setpriv', [...options, command, ...args]]
  }
  if (isRoot) throw new Error('PostgreSQL does not run as root: it needs setpriv and a user named postgres, or another user to run this.')
  return [command, args]
}
