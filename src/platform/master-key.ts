import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deriveKeys, type Keys, type Secret } from '../kernel/secrets.ts'
import { type Environment, SettingError } from './environment.ts'

/** The key that all others are derived from: given, or outside production made at the first start and kept in the data folder. */
export async function masterKeys(environment: Environment): Promise<Keys> {
  const given = environment.secretKey
  if (!given && environment.production) {
    throw new SettingError(
      'LANYARD_SECRET_KEY is not set: it must be 32 random bytes in base64, for example from `openssl rand -base64 32`',
    )
  }
  const master = given ? decoded('LANYARD_SECRET_KEY', given) : await keptKey(environment.dataDir)
  return deriveKeys(
    master,
    environment.secretKeysOld.map((key) => decoded('LANYARD_SECRET_KEYS_OLD', key)),
  )
}

function decoded(name: string, key: Secret): Buffer {
  const bytes = Buffer.from(key.reveal(), 'base64')
  if (bytes.length !== 32) throw new SettingError(`${name} must be 32 bytes in base64; it has ${bytes.length}`)
  return bytes
}

async function keptKey(dataDir: string): Promise<Buffer> {
  await mkdir(dataDir, { recursive: true })
  const file = join(dataDir, 'secret.key')
  try {
    // Never overwrites: of two processes that start at once, one writes and both read.
    await writeFile(file, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return Buffer.from(await readFile(file, 'utf8'), 'base64')
}
