import { readdirSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cleanUpFiles } from '../../src/domains/files/cleanup.ts'
import { openDatabase } from '../../src/platform/database.ts'
import { createDiskFileStore } from '../../src/platform/disk-file-store.ts'
import { createDatabaseAccess } from '../../src/platform/kysely.ts'
import { startChild } from '../platform/children.ts'
import { installClock } from '../support/clock.ts'
import { createTestFolder } from '../support/folder.ts'
import { startS3 } from '../support/s3-server.ts'

const MB = 1024 * 1024

function folder(): string {
  const made = createTestFolder()
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

describe('upload while the process is killed', () => {
  it('leaves no stored bytes after cleanup if the process is killed before or during an upload', async () => {
    const dataDir = folder()
    const objects = () =>
      readdirSync(join(dataDir, 'files'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    const child = startChild('store-upload', dataDir)
    const [, id] = (await child.line())!.split(' ')
    await expect.poll(() => objects().length).toBe(2)
    await child.kill()
    expect(objects()).toEqual(expect.arrayContaining([id, expect.stringMatching(/\.part$/)]))

    const database = createDatabaseAccess(await openDatabase({ dataDir }))
    onTestFinished(() => database.close())
    const store = createDiskFileStore(join(dataDir, 'files'))
    await cleanUpFiles({ transact: database.transact, files: store })
    expect(objects()).toHaveLength(2)
    await (await installClock(database.pool)).advance('100 years')
    await cleanUpFiles({ transact: database.transact, files: store })
    expect(objects()).toEqual([])
    expect((await database.pool.query('select 1 from file_uploads')).rows).toEqual([])
  })
})

describe('upload of 300 MB', () => {
  /** The allowed memory growth: far below the size of the upload, and far above the buffers and uncollected garbage of streaming. */
  const BOUND = 140 * MB

  it.each(['disk', 's3'])('streams an upload of 300 MB to %s without buffering the file in memory', async (kind) => {
    const dataDir = folder()
    const s3 = await startS3()
    onTestFinished(() => s3.stop())
    s3.discardBodies()
    const settings = { ...s3.settings, secret: s3.settings.secretAccessKey.reveal() }
    await writeFile(join(dataDir, 'settings.json'), JSON.stringify(kind === 's3' ? settings : null))
    const said = JSON.parse((await startChild('stream-upload', dataDir).line())!) as { size: number; grew: number }
    expect(said.size).toBeGreaterThanOrEqual(300 * MB)
    expect(said.grew).toBeLessThan(BOUND)
  })
})
