import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnvironment, SettingError } from '../../src/platform/environment.ts'
import { testFolder } from '../support/folder.ts'

describe('a secret in a file', () => {
  const folder = testFolder()
  const file = join(folder, 'url')
  const read = (env: NodeJS.ProcessEnv) => readEnvironment(env, false).databaseUrl
  beforeAll(() => writeFile(file, 'postgres://from-file\n'))
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is read when the variable itself is unset or empty', () => {
    expect(read({ DATABASE_URL_FILE: file })).toBe('postgres://from-file')
    expect(read({ DATABASE_URL: '', DATABASE_URL_FILE: file })).toBe('postgres://from-file')
    expect(read({ DATABASE_URL: ' ', DATABASE_URL_FILE: file })).toBe('postgres://from-file')
    expect(read({ DATABASE_URL: 'postgres://from-variable', DATABASE_URL_FILE: file })).toBe('postgres://from-variable')
    expect(read({ DATABASE_URL: '', DATABASE_URL_FILE: '' })).toBeNull()
  })

  it.each([
    ['is missing', join(folder, 'nothing')],
    ['is a folder', folder],
  ])('that %s is said of its setting', (_what, path) => {
    expect(() => read({ DATABASE_URL_FILE: path })).toThrow(SettingError)
    expect(() => read({ DATABASE_URL_FILE: path })).toThrow(`DATABASE_URL_FILE must name a file that can be read; ${path} cannot`)
  })
})
