import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Environment, readEnvironment, SettingError } from '../../src/platform/environment.ts'
import { loadMasterKeys } from '../../src/platform/master-key.ts'
import { soakRounds } from '../support/soak.ts'

async function installation() {
  const dataDir = await mkdtemp(join(tmpdir(), 'lanyard-key-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  return { dataDir, file: join(dataDir, 'secret.key'), environment: readEnvironment({ LANYARD_DATA_DIR: dataDir }, false) }
}

const madeKey = async (environment: Environment) => (await loadMasterKeys(environment)).key('test').toString('hex')

/** Code of a worker thread: reads the key file as soon as it exists, and posts the length of its content. */
const LOOK = `
  const { readFileSync } = require('node:fs')
  const { parentPort, workerData } = require('node:worker_threads')
  const look = () => {
    try {
      return readFileSync(workerData, 'utf8').length
    } catch {
      return null
    }
  }
  parentPort.postMessage('ready')
  let length = null
  while (length === null) length = look()
  parentPort.postMessage(length)`

describe('master key in the data folder', () => {
  it('creates the master key in the data folder once, readable only for its own user, without leaving temporary files', async () => {
    const { dataDir, file, environment } = await installation()
    const first = await madeKey(environment)
    expect(await madeKey(environment)).toBe(first)
    expect(Buffer.from(await readFile(file, 'utf8'), 'base64')).toHaveLength(32)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(dataDir)).toEqual(['secret.key'])
  })

  it('creates one master key for processes that start concurrently', async () => {
    for (let round = 0; round < soakRounds(50); round++) {
      const { dataDir, environment } = await installation()
      const keys = await Promise.all(Array.from({ length: 4 }, () => madeKey(environment)))
      expect(new Set(keys).size).toBe(1)
      expect(await readdir(dataDir)).toEqual(['secret.key'])
    }
  })

  it('never exposes a partially written master key', async () => {
    for (let round = 0; round < soakRounds(20); round++) {
      const { file, environment } = await installation()
      const onlooker = new Worker(LOOK, { eval: true, workerData: file })
      onTestFinished(async () => void (await onlooker.terminate()))
      await once(onlooker, 'message')
      const seen = once(onlooker, 'message')
      await loadMasterKeys(environment)
      expect(await seen).toEqual([44])
    }
  })

  it.each(['', 'c2hvcnQ='])('rejects an incomplete master key in the data folder, with a fix in the error: %j', async (text) => {
    const { file, environment } = await installation()
    await writeFile(file, text)
    await expect(loadMasterKeys(environment)).rejects.toThrow(SettingError)
    await expect(loadMasterKeys(environment)).rejects.toThrow(`${file} must contain 32 bytes in base64`)
    await expect(loadMasterKeys(environment)).rejects.toThrow('from a backup')
    expect(await readFile(file, 'utf8')).toBe(text)
  })
})

describe('master key', () => {
  const counting = Buffer.from(Array.from({ length: 32 }, (_, i) => (250 + 3 * i) & 0xff))
  it.each([
    ['zeros', Buffer.alloc(32)],
    ['one byte', Buffer.alloc(32, 7)],
    ['a repeated word', Buffer.from('correct horse battery '.repeat(2).slice(0, 32))],
    ['a piece twice', Buffer.from('0123456789abcdef'.repeat(2))],
    ['a count', counting],
  ])('rejects a master key that can be guessed: %s', async (_, weak) => {
    const { dataDir, file } = await installation()
    const key = weak.toString('base64')
    const keysOf = (env: Record<string, string>) => loadMasterKeys(readEnvironment({ LANYARD_DATA_DIR: dataDir, ...env }, false))
    await expect(keysOf({ LANYARD_SECRET_KEY: key })).rejects.toThrow('LANYARD_SECRET_KEY must be random; this one can be guessed')
    await writeFile(file, key)
    await expect(keysOf({})).rejects.toThrow(`${file} must be random`)
    // An installation that used a weak key can rotate it: values sealed with the old key still open.
    await keysOf({ LANYARD_SECRET_KEY: randomBytes(32).toString('base64'), LANYARD_SECRET_KEYS_OLD: key })
  })

  it('accepts a random master key', async () => {
    for (let round = 0; round < soakRounds(2000); round++) {
      const environment = readEnvironment({ LANYARD_SECRET_KEY: randomBytes(32).toString('base64') }, false)
      await loadMasterKeys(environment)
    }
  })
})
