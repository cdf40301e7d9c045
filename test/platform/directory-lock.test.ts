import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DirectoryInUseError, lockDirectory } from '../../src/platform/directory-lock.ts'
import { soakRounds } from '../support/soak.ts'
import { startChild } from './children.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanyard-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const sentence = (path: string) =>
  `The data folder ${path} is in use by another Lanyard process. Stop it first, or set DATABASE_URL to use PostgreSQL.`

async function startHolder(path = folder) {
  const holder = startChild('hold-lock', path)
  expect(await holder.line()).toBe('ready')
  return holder
}

describe('lock on a folder', () => {
  it('refuses a second holder of the folder lock until the first releases it', async () => {
    const lock = await lockDirectory(folder)
    await expect(lockDirectory(folder)).rejects.toThrow(new DirectoryInUseError(folder))
    await lock.release()
    await (await lockDirectory(folder)).release()
    expect(readdirSync(join(folder, 'lock'))).toEqual([])
  })

  it('refuses the folder lock to another process, and releases it when its process is killed', async () => {
    const first = await startHolder()
    first.send('go')
    expect(await first.line()).toBe('holding')
    const second = await startHolder()
    second.send('go')
    expect(await second.line()).toBe(sentence(folder))
    await second.closeInput()
    await first.kill()
    await (await lockDirectory(folder)).release()
  })

  it('does not keep a process running only because it holds a folder lock', async () => {
    const holder = await startHolder()
    holder.send('go')
    expect(await holder.line()).toBe('holding')
    await holder.closeInput()
    await (await lockDirectory(folder)).release()
  })

  it('gives the folder lock to exactly one of four processes that start concurrently after a crash', async () => {
    // The processes of a round are killed, and leave a stale lock for the next round.
    for (let round = 0; round < 1 + soakRounds(1); round++) {
      const holders = await Promise.all(Array.from({ length: 4 }, () => startHolder()))
      for (const holder of holders) holder.send('go')
      const said = await Promise.all(holders.map((holder) => holder.line()))
      expect(said.filter((word) => word === 'holding')).toHaveLength(1)
      expect(said.filter((word) => word === sentence(folder))).toHaveLength(3)
      await Promise.all(holders.map((holder) => holder.kill()))
    }
  })

  it('gives the folder lock to exactly one of many callers that retry', async () => {
    for (let round = 0; round < 10; round++) {
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(folder)))
      const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
      expect(won).toHaveLength(1)
      await won[0]!.value.release()
    }
  })

  it('locks a folder whose path is too long for a Unix socket', async () => {
    const long = join(folder, 'a'.repeat(120), 'b'.repeat(120))
    mkdirSync(long, { recursive: true })
    const lock = await lockDirectory(long)
    const other = await startHolder(long)
    other.send('go')
    expect(await other.line()).toBe(sentence(long))
    await other.closeInput()
    await lock.release()
    await (await lockDirectory(long)).release()
  })
})
