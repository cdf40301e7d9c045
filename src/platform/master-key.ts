import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
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
  const file = join(dataDir, 'secret.key')
  const kept = Buffer.from((await textOf(file)) ?? (await newKey(dataDir, file)), 'base64')
  if (kept.length !== 32) {
    throw new SettingError(
      `${file} must hold 32 bytes in base64; it has ${kept.length}. Put it back from a backup; on a new installation delete it, and the next start makes another`,
    )
  }
  return kept
}

const textOf = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

/** Written beside its place and put there whole, so that nobody ever reads half a key. A link never overwrites: of two processes that start at once, both read the key of one. */
async function newKey(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true })
  const beside = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(beside, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600, flush: true })
    await link(beside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(beside, { force: true })
  }
  return readFile(file, 'utf8')
}
