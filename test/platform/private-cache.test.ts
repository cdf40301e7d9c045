import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isPrivateFolder } from '../../src/platform/private-cache.ts'
import { createTestFolder } from '../support/folder.ts'

function folder(): string {
  const made = createTestFolder()
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

it('creates the cache folder if missing, and reuses it', async () => {
  const cache = join(folder(), 'modules', '.cache')
  expect([await isPrivateFolder(cache), await isPrivateFolder(cache)]).toEqual([true, true])
})

it.each([0o777, 0o775, 0o757])('rejects a cache folder that others can write (%o)', async (mode) => {
  const cache = join(folder(), 'cache')
  mkdirSync(cache)
  chmodSync(cache, mode)
  expect(await isPrivateFolder(cache)).toBe(false)
  chmodSync(cache, 0o755)
  expect(await isPrivateFolder(cache)).toBe(true)
})

it('rejects a cache path that is not a folder', async () => {
  const file = join(folder(), 'cache')
  writeFileSync(file, '')
  expect(await isPrivateFolder(file)).toBe(false)
})

it.skipIf(process.getuid?.() !== 0)('rejects a cache folder of another account', async () => {
  const cache = join(folder(), 'cache')
  mkdirSync(cache, { mode: 0o700 })
  chownSync(cache, 65_534, 65_534)
  expect(await isPrivateFolder(cache)).toBe(false)
})
