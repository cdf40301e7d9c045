import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountCommand } from '../../src/commands/account.ts'
import { type Command, type CommandOptionValues, UsageError, withDatabase } from '../../src/commands/command.ts'
import { userCommand } from '../../src/commands/user.ts'
import { createEventWithoutContext, getClientByCode } from '../../src/domains/tenancy/create.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { openMigratedDatabase } from '../../src/open-migrated.ts'
import { createTestFolder } from '../support/folder.ts'

const dataDir = createTestFolder()
const environment = readEnvironment({ LANYARD_DATA_DIR: dataDir }, false)
const run = async (command: Command, flags: CommandOptionValues) =>
  (await command.run({ environment, words: ['create'], flags })).data as any
const list = async (command: Command) => (await command.run({ environment, words: ['list'], flags: {} })).data as any
const ana = { email: 'ana@example.org' }
const sync = { name: 'Sync', rest: true }

beforeAll(async () => {
  await run(userCommand, { ...ana, tenant: 'acme', client: 'main' })
  await run(userCommand, { email: 'ben@example.org', tenant: 'acme', client: 'other' })
  await withDatabase(
    () => openMigratedDatabase(environment),
    async ({ write }) => {
      const { tenantId, clientId } = await getClientByCode(write, { clientCode: 'main' })
      const place = { tenant_id: tenantId, client_id: clientId, code: 'summit', name: 'Summit' }
      await createEventWithoutContext(write, { ...place, timezone: 'UTC', starts_on: '2026-11-02', ends_on: '2026-11-03', currency: 'EUR' })
    },
  )
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

describe('lanyard user create', () => {
  it.each([
    [{ client: 'Acme Inc', tenant: 'acme' }, '--client must be a code', 'such as acme-inc; it is "Acme Inc"'],
    [{ client: 'main', tenant: 'Acme Inc' }, '--tenant must be a code', 'such as acme-inc; it is "Acme Inc"'],
    [{ client: 'a'.repeat(64), tenant: 'acme' }, '--client must be a code', 'at most 63'],
    [{ client: 'main', tenant: '' }, '--tenant is needed', ''],
  ])('rejects an invalid client or tenant code: %j', async (codes, ...says) => {
    const refused = run(userCommand, { email: 'new@example.org', ...codes }).catch((error: Error) => error)
    expect(await refused).toBeInstanceOf(UsageError)
    for (const text of says) expect((await refused).message).toContain(text)
  })

  it('creates no user for an invalid client or tenant code', async () => {
    expect((await list(userCommand)).users).toHaveLength(2)
  })
})

describe('lanyard account create', () => {
  it.each([
    [{ client: 'main', event: 'nosuch' }, 'No event nosuch at client main'],
    [{ client: 'other', event: 'summit' }, 'No event summit at client other'],
    [{ client: 'nosuch' }, 'No client nosuch'],
    [{ client: 'main', tenant: 'nosuch' }, 'No client main in tenant nosuch'],
  ])('rejects an unknown event, client or tenant: %j', async (place, says) => {
    const refused = await run(accountCommand, { ...sync, ...place }).catch((error: Error) => error)
    expect(refused).toBeInstanceOf(AppError)
    expect(refused.message).toContain(says)
  })

  it('does not treat an empty event code of a new API account as access to all events', async () => {
    await expect(run(accountCommand, { ...sync, client: 'main', event: '' })).rejects.toThrow('--event is needed')
  })

  it('creates no API account for an unknown event, client or tenant', async () => {
    expect((await list(accountCommand)).accounts).toEqual([])
  })

  it('accepts an existing event code for an API account', async () => {
    expect((await run(accountCommand, { ...sync, client: 'main', event: 'summit' })).token).toMatch(/^lak_/)
  })
})
