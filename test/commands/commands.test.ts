import { rm } from 'node:fs/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { accountCommand } from '../../src/commands/account.ts'
import { type Command, type CommandOptionValues, withDatabase } from '../../src/commands/command.ts'
import { backupCommand } from '../../src/commands/backup.ts'
import { demoCommand } from '../../src/commands/demo.ts'
import { doctorCommand } from '../../src/commands/doctor.ts'
import { migrateCommand } from '../../src/commands/migrate.ts'
import { userCommand } from '../../src/commands/user.ts'
import { seedDemo } from '../../src/demo.ts'
import type { Database } from '../../src/kernel/ports.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { openFileStore } from '../../src/platform/file-store.ts'
import { loadMasterKeys } from '../../src/platform/master-key.ts'
import { createPasswordHasher } from '../../src/platform/passwords.ts'
import { openMigratedDatabase } from '../../src/open-migrated.ts'
import { createTestFolder } from '../support/folder.ts'
import { startS3 } from '../support/s3-server.ts'

/** Runs the commands of an operator one after the other on one installation. */
describe('lanyard command line', () => {
  const dataDir = createTestFolder()
  const environment = readEnvironment({ LANYARD_DATA_DIR: dataDir }, false)
  const run = async (command: Command, words: string[], flags: CommandOptionValues = {}) =>
    (await command.run({ environment, words, flags })).data as any
  afterAll(() => rm(dataDir, { recursive: true, force: true }))

  it('creates the first organizer with their client, and a link to choose a password', async () => {
    const made = await run(userCommand, ['create'], { email: 'ana@example.org', tenant: 'acme', client: 'main', name: 'Ana' })
    expect(made).toMatchObject({ email: 'ana@example.org', role: 'admin', tenant: 'acme', client: 'main' })
    expect(made.passwordLink).toMatch(/^http:\/\/localhost:3000\/console\/password\?token=lpw_/)
    await expect(run(userCommand, ['create'], { email: 'Ana@Example.org', client: 'main' })).rejects.toThrow('exists already')
    await expect(run(userCommand, ['create'], { email: 'absent', client: 'main' })).rejects.toThrow('not an email address')
    await expect(run(userCommand, ['create'], { email: 'b@example.org', client: 'main', role: 'king' })).rejects.toThrow(
      '--role must be one of',
    )
    expect((await run(userCommand, ['list'])).users).toEqual([
      { email: 'ana@example.org', name: 'Ana', active: true, client: 'main', role: 'admin' },
    ])
    expect((await run(userCommand, ['reset'], { email: 'ana@example.org' })).passwordLink).toContain('lpw_')
  })

  it("issues a token for an organizer's assistant, and disables the organizer", async () => {
    expect((await run(userCommand, ['connect'], { email: 'ana@example.org' })).token).toMatch(/^lat_/)
    await run(userCommand, ['disable'], { email: 'ana@example.org' })
    await expect(run(userCommand, ['connect'], { email: 'ana@example.org' })).rejects.toThrow('is disabled')
  })

  it('creates API accounts, and issues and revokes their tokens', async () => {
    const { accountId, token } = await run(accountCommand, ['create'], { name: 'Sync', client: 'main', rest: true })
    expect(token).toMatch(/^lak_/)
    await run(accountCommand, ['token'], { account: accountId })
    expect((await run(accountCommand, ['list'])).accounts).toMatchObject([
      { id: accountId, name: 'Sync', rest: true, agent: false, liveTokens: 2 },
    ])
    expect(await run(accountCommand, ['revoke'], { account: accountId })).toMatchObject({ revoked: 2 })
    await expect(run(accountCommand, ['create'], { name: 'Nothing', client: 'main' })).rejects.toThrow('what the account can do')
  })

  it('refuses the demo in a database with other tenants', async () => {
    await expect(run(demoCommand, [])).rejects.toThrow('This database has other tenants (acme)')
  })

  it("reports the state of migrations, of the installation's health checks and of recorded backups", async () => {
    type Finding = { check: string; state: string; says: string }
    const doctor = async (): Promise<Finding[]> => (await run(doctorCommand, [])).findings
    const aboutBackups = (findings: Finding[]) => findings.find(({ check }) => check === 'backups')
    expect(await run(migrateCommand, [], { check: true })).toEqual({ pending: [] })
    const findings = await doctor()
    expect(findings.filter(({ state }) => state === 'fail')).toEqual([])
    expect(findings.map(({ check }) => check)).toEqual([
      'database',
      'migrations',
      'reports',
      'clock',
      'outbox',
      'payments',
      'backups',
      'hotels',
      'secret key',
      'mail',
      'files',
      'data folder',
      'base address',
      'settings',
    ])
    const never = expect.stringContaining('no backup recorded yet: run `lanyard backup <file>`')
    expect(aboutBackups(findings)).toMatchObject({ state: 'warn', says: never })
    for (const flags of [{}, { made: true, elsewhere: true }])
      await expect(run(backupCommand, [], flags)).rejects.toThrow('Give a file to write, --made or --elsewhere')
    await run(backupCommand, [], { made: true })
    const noted = expect.stringMatching(/^the last was recorded on \d{4}-\d\d-\d\d$/)
    expect(aboutBackups(await doctor())).toMatchObject({ state: 'ok', says: noted })
  })
})

describe('lanyard doctor', () => {
  it('reports in lanyard doctor whether files can be stored in the S3 bucket', async () => {
    const s3 = await startS3()
    const dataDir = createTestFolder()
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = s3.settings
    const filesWith = async (env: Record<string, string>) => {
      const settings = {
        LANYARD_DATA_DIR: dataDir,
        LANYARD_STORAGE: 's3',
        S3_ENDPOINT: endpoint!,
        S3_REGION: region,
        S3_ACCESS_KEY_ID: accessKeyId,
      }
      const environment = readEnvironment({ ...settings, S3_SECRET_ACCESS_KEY: secretAccessKey.reveal(), S3_BUCKET: bucket, ...env }, false)
      const { data } = await doctorCommand.run({ environment, words: [], flags: {} })
      return (data as { findings: { check: string }[] }).findings.find(({ check }) => check === 'files')
    }
    expect(await filesWith({})).toMatchObject({ state: 'ok', says: `bucket ${bucket} stores and returns files` })
    expect(s3.objects.size).toBe(0)
    expect(await filesWith({ S3_SECRET_ACCESS_KEY: 'wrong' })).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('check the S3 settings'),
    })
    expect(await filesWith({ S3_BUCKET: 'other' })).toMatchObject({ state: 'fail', says: expect.stringContaining('bucket other') })
    await s3.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
})

describe('lanyard demo', () => {
  const dataDir = createTestFolder()
  const environment = readEnvironment({ LANYARD_DATA_DIR: dataDir }, false)
  afterAll(() => rm(dataDir, { recursive: true, force: true }))

  // Covers only an existing demo; backup.test.ts covers the demo on an empty database.
  it('refuses to create the demo if it exists, and recreates it completely on request', async () => {
    const within = <T>(use: (database: Database) => Promise<T>) => withDatabase(() => openMigratedDatabase(environment), use)
    const people = () => within(({ pool }) => pool.query('select from participants').then(({ rows }) => rows.length))
    const [passwords, keys, files] = [await createPasswordHasher(), await loadMasterKeys(environment), await openFileStore(environment)]
    const first = await within((database) =>
      seedDemo(database, { resource: `${environment.baseUrl}/api/mcp/organizer`, passwords, keys, files, people: false }),
    )
    await expect(demoCommand.run({ environment, words: [], flags: {} })).rejects.toThrow('Tenant demo exists already')
    expect(await people()).toBe(0)
    const again = (await demoCommand.run({ environment, words: [], flags: { reset: true } })).data as { organizerToken: string }
    expect(again.organizerToken).not.toBe(first.organizerToken.reveal())
    expect(await people()).toBe(60)
  })
})
