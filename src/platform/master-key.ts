import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deriveKeys, type DerivedKeys, Secret } from '../kernel/secrets.ts'
import { type Environment, SettingError } from './environment.ts'
import { restrictFileAccess, ensurePrivateFolder } from './private-folder.ts'

/**
 * The keys derived from the master key, which is configured or, outside production, generated at the first start and stored in the data
 * folder.
 */
export async function loadMasterKeys(environment: Environment): Promise<DerivedKeys> {
  const given = environment.secretKey
  if (!given && environment.production) {
    throw new SettingError(
      'LANYARD_SECRET_KEY is not set: it must be 32 random bytes in base64, for example from `openssl rand -base64 32`',
    )
  }
  const master = given ? decodeKey('LANYARD_SECRET_KEY', given) : await loadOrCreateKey(environment.dataDir)
  if (isGuessable(master)) {
    const name = given ? 'LANYARD_SECRET_KEY' : join(environment.dataDir, 'secret.key')
    throw new SettingError(
      `${name} must be random; this one can be guessed. Create another with \`openssl rand -base64 32\`, and if data was encrypted with this one, add it to LANYARD_SECRET_KEYS_OLD`,
    )
  }
  return deriveKeys(
    master,
    environment.secretKeysOld.map((key) => decodeKey('LANYARD_SECRET_KEYS_OLD', key)),
  )
}

/** Keys from a separate key file, for backups that are opened elsewhere. */
export async function loadKeysFromFile(file: string): Promise<DerivedKeys> {
  const text = await readFileIfExists(file)
  if (text === null) throw new SettingError(`There is no file ${file}: create a key with \`openssl rand -base64 32 > ${file}\``)
  const key = decodeKey(file, new Secret(text))
  if (isGuessable(key))
    throw new SettingError(`${file} must be random; this one can be guessed. Create another with \`openssl rand -base64 32 > ${file}\``)
  return deriveKeys(key)
}

function decodeKey(name: string, key: Secret): Buffer {
  const bytes = Buffer.from(key.reveal(), 'base64')
  if (bytes.length !== 32) throw new SettingError(`${name} must be 32 bytes in base64; it has ${bytes.length}`)
  return bytes
}

/**
 * Whether a key is a placeholder: zeros, repeated words, ascending or descending bytes. 32 random bytes with fewer than 12 different
 * values do not occur in practice.
 */
function isGuessable(bytes: Buffer): boolean {
  const steps = new Set(bytes.subarray(1).map((byte, i) => byte - bytes[i]!))
  const repeats = Array.from({ length: 16 }, (_, i) => i + 1).some((size) => bytes.subarray(size).equals(bytes.subarray(0, -size)))
  return new Set(bytes).size < 12 || steps.size === 1 || repeats
}

async function loadOrCreateKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'secret.key')
  await ensurePrivateFolder(dataDir)
  await restrictFileAccess(file)
  const kept = Buffer.from((await readFileIfExists(file)) ?? (await createKeyFile(file)), 'base64')
  if (kept.length !== 32) {
    throw new SettingError(
      `${file} must contain 32 bytes in base64; it has ${kept.length}. Restore it from a backup; on a new installation delete it, and the next start creates another`,
    )
  }
  return kept
}

const readFileIfExists = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

/**
 * Creates a key file. It is written to a temporary file and then linked, so that no process reads a partial key. A link never overwrites,
 * so two processes that start concurrently use the same key.
 */
async function createKeyFile(file: string): Promise<string> {
  const temporaryFile = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(temporaryFile, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600, flush: true })
    await link(temporaryFile, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(temporaryFile, { force: true })
  }
  return readFile(file, 'utf8')
}
