import { existsSync } from 'node:fs'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommandLine } from '../../src/command-line.ts'
import { listenForCommands } from '../../src/command-socket.ts'
import { getUserByEmail } from '../../src/domains/access/users.ts'
import type { Database, LogFields } from '../../src/kernel/ports.ts'
import { openMigratedDatabase } from '../../src/open-migrated.ts'
import { seedDemo } from '../../src/demo.ts'
import { listTenantCodes } from '../../src/domains/tenancy/create.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { openFileStore } from '../../src/platform/file-store.ts'
import { loadMasterKeys } from '../../src/platform/master-key.ts'
import { createPasswordHasher } from '../../src/platform/passwords.ts'
import { createTestFolder } from '../support/folder.ts'

const dataDir = createTestFolder()
const COMMANDS = ['migrate', 'demo', 'doctor', 'backup', 'restore', 'user', 'account', 'feedback']

/** Runs a command as a terminal does, with its output and exit code. */
async function run(...args: string[]) {
  const [stdout, stderr] = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')]
  const printed = (stream: typeof stdout) => stream.mock.calls.map(([text]) => String(text)).join('')
  for (const stream of [stdout, stderr]) stream.mockReturnValue(true)
  vi.stubEnv('LANYARD_DATA_DIR', dataDir)
  vi.stubEnv('DATABASE_URL', '')
  try {
    await runCommandLine(args)
    return { out: printed(stdout), err: printed(stderr), exit: process.exitCode }
  } finally {
    process.exitCode = undefined
    stdout.mockRestore()
    stderr.mockRestore()
    vi.unstubAllEnvs()
  }
}

afterAll(() => rm(dataDir, { recursive: true, force: true }))

describe('lanyard help', () => {
  it('lists every command in the help', async () => {
    for (const words of [[], ['help'], ['--help'], ['-h']]) {
      const { out, err, exit } = await run(...words)
      expect({ err, exit }).toEqual({ err: '', exit: 0 })
      for (const command of ['start', ...COMMANDS]) expect(out).toMatch(new RegExp(`^  ${command}\\b`, 'm'))
    }
  })

  it.each([...COMMANDS, 'start'])('explains the command %s without opening the database', async (command) => {
    const { out, err, exit } = await run(command, '--help')
    expect({ err, exit }).toEqual({ err: '', exit: 0 })
    expect(out).toMatch(new RegExp(`^lanyard ${command}\\b`))
    expect(await run('help', command)).toEqual({ out, err, exit })
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  })

  it('describes every option that the usage of a command names', async () => {
    for (const command of COMMANDS) {
      const [usage, options] = (await run(command, '--help')).out.split('Options:')
      for (const [option] of usage!.matchAll(/--[a-z-]+/g)) expect(options).toMatch(new RegExp(`^  ${option} +\\S`, 'm'))
    }
  })
})

describe('lanyard with wrong usage', () => {
  it.each([
    [['usr'], 'Unknown command "usr". Did you mean user?'],
    [['strat'], 'Did you mean start?'],
    [['toString'], 'Unknown command "toString". `lanyard help`'],
    [['user', 'conect'], 'Unknown action "conect" of user. Did you mean connect?'],
    [['user'], 'user needs an action. Actions are create, list, reset, disable, connect.'],
    [['user', 'list', 'all'], 'Unexpected argument "all"'],
    [['feedback', 'ad', 'text'], 'Did you mean add?'],
    [['user', 'connect', '--mail', 'a@example.org'], 'Unknown option --mail. Did you mean --email?'],
    [['doctor', '--quick'], 'Unknown option --quick. Options are --json.'],
    [['user', 'connect', '--email'], 'lanyard user connect --email <email>'],
    [['backup'], 'Give a file to write'],
  ])('explains the wrong command line %j, with exit code 2', async (args, says) => {
    const { out, err, exit } = await run(...args)
    expect({ out, exit }).toEqual({ out: '', exit: 2 })
    expect(err).toContain(says)
    const json = await run(...args, '--json')
    expect({ err: json.err, exit: json.exit }).toEqual({ err: '', exit: 2 })
    expect(JSON.parse(json.out).error).toContain(says)
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  })

  it('reports an unusable setting with exit code 1', async () => {
    vi.stubEnv('PORT', 'eighty')
    expect(await run('user', 'list')).toMatchObject({ out: '', err: expect.stringContaining('PORT must be a whole number'), exit: 1 })
  })
})

describe('lanyard commands while a service with an embedded database runs', () => {
  const environment = readEnvironment({ LANYARD_DATA_DIR: dataDir, PORT: '4321' }, false)
  const logged: [string, LogFields | undefined][] = []
  const note = (message: string, fields?: LogFields) => void logged.push([message, fields])
  const log = { info: note, warn: note, error: note }
  const email = 'ana@example.org'
  let database: Database
  let stop: () => Promise<void>

  beforeAll(async () => {
    database = await openMigratedDatabase(environment)
    // The socket of a service that was killed.
    const stale = join(dataDir, 'commands', 'lanyard.sock')
    await mkdir(dirname(stale))
    await writeFile(stale, '')
    stop = await listenForCommands({ environment, database, log })
  })
  afterEach(() => void logged.splice(0))
  afterAll(async () => {
    await stop()
    await database.close()
  })

  it('creates the demo again through the running service, with new credentials', { timeout: 120_000 }, async () => {
    const [passwords, keys, files] = [await createPasswordHasher(), await loadMasterKeys(environment), await openFileStore(environment)]
    const resource = `${environment.baseUrl}/api/mcp/organizer`
    const first = await seedDemo(database, { resource, passwords, keys, files, people: false }).finally(() => files.close())
    const again = await run('demo', '--reset', '--json')
    expect(again).toMatchObject({ err: '', exit: 0 })
    const { organizerToken, password, events } = JSON.parse(again.out)
    expect(events).toEqual(first.events)
    for (const [before, after] of [
      [first.organizerToken, organizerToken],
      [first.password, password],
    ])
      expect(before.reveal()).not.toBe(after)
    expect(logged).toEqual([['command', { name: 'demo', outcome: 'ok' }]])
    expect(await listTenantCodes(database.write)).toEqual(['demo'])
  })

  it('creates an organizer and an access token through the running service, and prints a link with its base address', async () => {
    const made = await run('user', 'create', '--email', email, '--tenant', 'acme', '--client', 'main')
    expect(made).toMatchObject({ err: '', exit: 0, out: expect.stringContaining('http://localhost:4321/console/password?token=lpw_') })
    const { token } = JSON.parse((await run('user', 'connect', '--email', email, '--json')).out)
    expect(token).toMatch(/^lat_/)
    expect(await getUserByEmail(database.write, email)).toMatchObject({ email })
    expect(logged).toEqual([
      ['command', { name: 'user', outcome: 'ok' }],
      ['command', { name: 'user', outcome: 'ok' }],
    ])
  })

  it('returns errors of the running service with their exit codes', async () => {
    expect(await run('user', 'connect', '--email', 'x@example.org')).toMatchObject({ out: '', exit: 1 })
    expect(await run('user', 'connect')).toMatchObject({ out: '', err: expect.stringContaining('--email is needed'), exit: 2 })
    expect(await run('demo', '--reset')).toMatchObject({ err: expect.stringContaining('other tenants (acme)'), exit: 2 })
  })

  it("checks the installation and writes a backup to the caller's folder through the running service", async () => {
    const { findings } = JSON.parse((await run('doctor', '--json')).out)
    expect(findings.filter(({ state }: { state: string }) => state === 'fail')).toEqual([])
    expect(findings.map(({ check }: { check: string }) => check)).toContain('migrations')
    const target = createTestFolder()
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(target)
    const made = await run('backup', 'first.backup')
    cwd.mockRestore()
    expect(made).toMatchObject({ err: '', exit: 0 })
    expect((await stat(join(target, 'first.backup'))).size).toBeGreaterThan(1000)
  })

  it('lets only the operating system account of the service send commands', async () => {
    expect((await stat(join(dataDir, 'commands'))).mode & 0o077).toBe(0)
  })

  it('refuses to restore a backup while the service runs, and asks to stop the service', async () => {
    const file = join(dataDir, 'kept.backup')
    await run('backup', file)
    expect(await run('restore', file)).toMatchObject({ out: '', err: expect.stringContaining('Stop it (Ctrl+C'), exit: 1 })
  })

  it('asks to stop the process that uses the database if that process accepts no commands', async () => {
    await stop()
    for (const args of [['user', 'list'], ['doctor'], ['demo', '--reset']]) {
      expect(await run(...args)).toMatchObject({ out: '', err: expect.stringContaining(`${dataDir} is in use`), exit: 1 })
    }
    stop = await listenForCommands({ environment, database, log })
    expect(await run('user', 'list')).toMatchObject({ out: expect.stringContaining(email), exit: 0 })
  })
})
