import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deriveKeys, type Keys, Secret } from '../kernel/secrets.ts'
import { type Environment, SettingError } from './environment.ts'
import { closeToOthers, privateFolder } from './private-folder.ts'

/** The key that all others are derived from: given, or outside production made at the first start and kept in the data folder. */
export async function masterKeys(environment: Environment): Promise<Keys> {
  const given = environment.secretKey
  if (!given && environment.production) {
    throw new SettingError(
      'LANYARD_SECRET_KEY is not set: it must be 32 random bytes in base64, for example from `openssl rand -base64 32`',
    )
  }
  const master = given ? decoded('LANYARD_SECRET_KEY', given) : await keptKey(environment.dataDir)
  if (isGuessable(master)) {
    const name = given ? 'LANYARD_SECRET_KEY' : join(environment.dataDir, 'secret.key')
    throw new SettingError(
      `${name} must be random; this one can be guessed. Make another by \`openssl rand -base64 32\`, and if something was sealed with this one, name it in LANYARD_SECRET_KEYS_OLD`,
    )
  }
  return deriveKeys(
    master,
    environment.secretKeysOld.map((key) => decoded('LANYARD_SECRET_KEYS_OLD', key)),
  )
}

/** A key of its own in a file, for what is to be opened elsewhere than here. */
export async function keysInFile(file: string): Promise<Keys> {
  const text = await textOf(file)
  if (text === null) throw new SettingError(`There is no file ${file}: make a key by \`openssl rand -base64 32 > ${file}\``)
  const key = decoded(file, new Secret(text))
  if (isGuessable(key))
    throw new SettingError(`${file} must be random; this one can be guessed. Make another by \`openssl rand -base64 32 > ${file}\``)
  return deriveKeys(key)
}

function decoded(name: string, key: Secret): Buffer {
  const bytes = Buffer.from(key.reveal(), 'base64')
  if (bytes.length !== 32) throw new SettingError(`${name} must be 32 bytes in base64; it has ${bytes.length}`)
  return bytes
}

/** Placeholders: zeros, a word or a piece again and again, what counts up or down. 32 random bytes with fewer than 12 different ones do not happen. */
function isGuessable(bytes: Buffer): boolean {
  const steps = new Set(bytes.subarray(1).map((byte, i) => byte - bytes[i]!))
  const repeats = Array.from({ length: 16 }, (_, i) => i + 1).some((size) => bytes.subarray(size).equals(bytes.subarray(0, -size)))
  return new Set(bytes).size < 12 || steps.size === 1 || repeats
}

async function keptKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'secret.key')
  await privateFolder(dataDir)
  await closeToOthers(file)
  const kept = Buffer.from((await textOf(file)) ?? (await newKey(file)), 'base64')
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
async function newKey(file: string): Promise<string> {
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
