import { rm } from 'node:fs/promises'
import { afterAll, expect, it } from 'vitest'
import { userCommand } from '../../src/commands/user.ts'
import { startTotpSetup, createRecoveryCodes } from '../../src/domains/sign-in/totp.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { loadMasterKeys } from '../../src/platform/master-key.ts'
import { openMigratedDatabase } from '../../src/open-migrated.ts'
import { createTestFolder } from '../support/folder.ts'

const dataDir = createTestFolder()
const environment = readEnvironment({ LANYARD_DATA_DIR: dataDir }, false)
const email = 'ana@example.org'
afterAll(() => rm(dataDir, { recursive: true, force: true }))

it('removes the second factor of a user without device and recovery codes with lanyard user reset', async () => {
  await userCommand.run({ environment, words: ['create'], flags: { email, tenant: 'acme', client: 'main' } })
  const before = await openMigratedDatabase(environment)
  const { id } = await before.write.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()
  await startTotpSetup(before.write, await loadMasterKeys(environment), id)
  await createRecoveryCodes(before.write, id)
  await before.pool.query('update users set totp_confirmed_at = lanyard_now()')
  await before.close()

  const { text, data } = await userCommand.run({ environment, words: ['reset'], flags: { email } })
  expect(text).toContain('Their second factor is off')
  expect(data).toMatchObject({ email, secondFactor: false })

  const after = await openMigratedDatabase(environment)
  const user = await after.write.selectFrom('users').select(['totp_secret', 'totp_confirmed_at']).executeTakeFirstOrThrow()
  const codes = await after.write.selectFrom('recovery_codes').select('hash').execute()
  await after.close()
  expect([user, codes]).toEqual([{ totp_secret: null, totp_confirmed_at: null }, []])
})
