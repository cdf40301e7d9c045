import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnvironment, SettingError } from '../../src/platform/environment.ts'
import { startService } from '../../src/start.ts'
import { createTestFolder } from '../support/folder.ts'

describe('setting whose secret is stored in a file', () => {
  const folder = createTestFolder()
  const file = join(folder, 'url')
  const read = (env: NodeJS.ProcessEnv) => readEnvironment(env, false).databaseUrl
  beforeAll(() => writeFile(file, 'postgres://from-file\n'))
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('reads a secret from a file when the environment variable itself is unset or empty', () => {
    expect(read({ DATABASE_URL_FILE: file })).toBe('postgres://from-file')
    expect(read({ DATABASE_URL: '', DATABASE_URL_FILE: file })).toBe('postgres://from-file')
    expect(read({ DATABASE_URL: ' ', DATABASE_URL_FILE: file })).toBe('postgres://from-file')
    expect(read({ DATABASE_URL: 'postgres://from-variable', DATABASE_URL_FILE: file })).toBe('postgres://from-variable')
    expect(read({ DATABASE_URL: '', DATABASE_URL_FILE: '' })).toBeNull()
  })

  it.each([
    ['is missing', join(folder, 'nothing')],
    ['is a folder', folder],
  ])('names the setting of a secret file that %s', (_what, path) => {
    expect(() => read({ DATABASE_URL_FILE: path })).toThrow(SettingError)
    expect(() => read({ DATABASE_URL_FILE: path })).toThrow(`DATABASE_URL_FILE must name a readable file; ${path} cannot be read`)
  })
})

describe('tax rates file', () => {
  const folder = createTestFolder()
  const file = join(folder, 'rates.json')
  beforeAll(() => writeFile(file, '{"version":"1"}'))
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('reads the tax rates file at server start if it is configured', () => {
    expect(readEnvironment({}, false).taxRates).toBeNull()
    expect(readEnvironment({ LANYARD_TAX_RATES_FILE: file }, false)).toMatchObject({ taxRates: '{"version":"1"}' })
    expect(readEnvironment({ LANYARD_TAX_RATES_FILE: file }, false).warnings).toEqual([])
    expect(() => readEnvironment({ LANYARD_TAX_RATES_FILE: join(folder, 'none') }, false)).toThrow(
      /^LANYARD_TAX_RATES_FILE must name a readable file/,
    )
  })

  it('refuses to start with an invalid tax rates file, and names row and field in the error', async () => {
    const environment = readEnvironment({ LANYARD_TAX_RATES_FILE: file }, false)
    await expect(startService(environment, { info() {}, warn() {}, error() {} })).rejects.toThrow(
      new SettingError('LANYARD_TAX_RATES_FILE cannot be used: rates: Invalid input: expected array, received undefined'),
    )
  })
})
