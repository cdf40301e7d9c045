import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFile, getFile, openFile } from '../../src/domains/files/files.ts'
import { cleanUpFiles } from '../../src/domains/files/cleanup.ts'
import { deleteUpload } from '../../src/domains/files/upload.ts'
import type { FileStore } from '../../src/kernel/ports.ts'
import { SAMPLE_FILES } from '../support/samples.ts'
import { createUploadFixtures } from '../support/uploads.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let summit: EventHandle
let up: ReturnType<typeof createUploadFixtures>

beforeAll(async () => {
  world = await newWorld()
  summit = await world.event()
  up = createUploadFixtures(world, summit)
})
afterAll(() => world.end())
beforeEach(() => world.clock.reset())

const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows
const objects = async () => {
  const entries = await readdir(join(world.dataDir, 'files'), { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted()
}
const uploads = async () => (await rows('select id from file_uploads order by id')).map(({ id }) => id as string)
const cleanUp = () => cleanUpFiles({ transact: world.database.transact, files: world.services.files })
const read = async (fileId: string) =>
  buffer(await openFile(world.services.files, await getFile({ tenantId: summit.tenantId, db: world.database.read }, { fileId })))

/** A stream that sends far more bytes than allowed and never ends. */
function endless(start: Buffer): Readable & { sent: () => number } {
  let sent = 0
  const stream = new Readable({
    read() {
      const chunk = sent === 0 ? start : Buffer.alloc(16 * 1024, 0x20)
      sent += chunk.length
      this.push(sent > 20 * 1024 * 1024 ? null : chunk)
    },
  })
  return Object.assign(stream, { sent: () => sent })
}

describe('upload of a file', () => {
  it('creates a file with the size, hash and type of the uploaded bytes', async () => {
    const content = Buffer.concat([SAMPLE_FILES.png, randomBytes(200_000)])
    const place = { clientId: summit.clientId, eventId: summit.eventId, owner: { kind: 'participant', id: 'p1' }, isTestData: true }
    const file = await up.file(content, { purpose: 'headshot', name: '../me.html' }, place)
    expect(file).toEqual({
      tenantId: summit.tenantId,
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'me.html.png',
      mime: 'image/png',
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      purpose: 'headshot',
      ...place,
      createdBy: 'olga',
      createdAt: expect.any(Date),
    })
    expect((await read(file.id)).equals(content)).toBe(true)
    expect(await uploads()).toEqual([])
  })

  it('rejects an upload as soon as it is too large, and leaves no stored bytes', async () => {
    const before = await objects()
    const source = endless(SAMPLE_FILES.png)
    await expect(up.store(source, { purpose: 'adCreative' })).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: 'The file is larger than the limit of 400 KB',
    })
    expect(source.sent()).toBeLessThan(700 * 1024)
    expect(source.destroyed).toBe(true)
    expect([await objects(), await uploads()]).toEqual([before, []])
  })

  it('accepts an upload up to the size limit of its purpose, or up to a smaller limit given by the caller', async () => {
    const padded = (size: number) => Buffer.concat([SAMPLE_FILES.png, Buffer.alloc(size - SAMPLE_FILES.png.length)])
    expect((await up.store(padded(400 * 1024), { purpose: 'adCreative' })).size).toBe(400 * 1024)
    await expect(up.store(padded(400 * 1024 + 1), { purpose: 'adCreative' })).rejects.toThrow('larger than the limit of 400 KB')
    expect((await up.store(padded(1000), { purpose: 'adCreative', maxBytes: 1000 })).size).toBe(1000)
    await expect(up.store(padded(1001), { purpose: 'adCreative', maxBytes: 1000 })).rejects.toThrow('larger than the limit of 1000 bytes')
    await expect(up.store(padded(400 * 1024 + 1), { purpose: 'adCreative', maxBytes: 10 ** 9 })).rejects.toThrow(
      'larger than the limit of 400 KB',
    )
  })

  it.each([
    ['a page', SAMPLE_FILES.html, 'me.png', 'text/html'],
    ['an SVG with scripts', SAMPLE_FILES.svg, 'me.png', 'image/svg+xml'],
    ['a program', SAMPLE_FILES.exe, 'me.png', 'application/x-msdownload'],
    ['an empty file', Buffer.alloc(0), 'me.png', 'text/plain'],
    ['an image of another type', SAMPLE_FILES.gif, 'me.png', 'image/gif'],
  ])('rejects an upload that is %s with the name of an image', async (_what, content, name, mime) => {
    const before = await objects()
    await expect(up.store(content, { purpose: 'headshot', name })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: `The file is ${mime} by its content. It must be one of image/png, image/jpeg, image/webp`,
    })
    expect([await objects(), await uploads().then((all) => all.length)]).toEqual([before, (await uploads()).length])
  })

  it('accepts only file types that both the form field and the purpose of an upload allow', async () => {
    const accept = ['image/*', 'application/pdf', 'text/html']
    expect((await up.store(SAMPLE_FILES.pdf, { purpose: 'answer', accept })).mime).toBe('application/pdf')
    expect((await up.store(SAMPLE_FILES.png, { purpose: 'answer', accept })).mime).toBe('image/png')
    await expect(up.store(SAMPLE_FILES.csv, { purpose: 'answer', accept, name: 'a.csv' })).rejects.toThrow(
      'The file is text/csv by its content',
    )
    await expect(up.store(SAMPLE_FILES.html, { purpose: 'answer', accept })).rejects.toThrow('The file is text/html by its content')
  })

  it('stores no bytes of an interrupted upload, and reports the cause', async () => {
    const before = [await objects(), await uploads()]
    for (const after of [0, 100_000, 2_000_000]) {
      const source = Readable.from(
        (async function* () {
          yield SAMPLE_FILES.png
          for (let sent = 0; sent < after; sent += 10_000) yield Buffer.alloc(10_000)
          throw new Error('the line went dead')
        })(),
      )
      await expect(up.store(source)).rejects.toThrow('the line went dead')
    }
    expect([await objects(), await uploads()]).toEqual(before)
  })

  it('responds with "unavailable" to an upload that cannot be stored, with the cause in the log', async () => {
    const full: FileStore = { ...world.services.files, put: () => Promise.reject(new Error('ENOSPC: no space left')) }
    await expect(createUploadFixtures(world, summit, full).store(SAMPLE_FILES.png)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Files cannot be stored at the moment. Try again in a few minutes',
    })
    expect(world.logged.filter((line) => line.includes('ENOSPC'))).toHaveLength(1)
  })

  it('creates two hundred files from two hundred concurrent uploads of the same content', async () => {
    const content = Buffer.concat([SAMPLE_FILES.png, randomBytes(20_000)])
    const before = (await objects()).length
    const made = await Promise.all(Array.from({ length: 200 }, () => up.file(content)))
    expect(new Set(made.map(({ id }) => id)).size).toBe(200)
    expect(new Set(made.map(({ sha256 }) => sha256)).size).toBe(1)
    expect((await objects()).length - before).toBe(200)
    await up.remove(made[0]!.id)
    await world.clock.advance('25 hours')
    await cleanUp()
    expect((await read(made[199]!.id)).equals(content)).toBe(true)
    await expect(read(made[0]!.id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('unclaimed uploads', () => {
  it('removes unclaimed uploads after a day, whether their transaction was rolled back or never started', async () => {
    await world.clock.advance('25 hours')
    await cleanUp()
    await world.clock.reset()
    const [never, undone, kept] = [await up.store(SAMPLE_FILES.png), await up.store(SAMPLE_FILES.png), await up.file(SAMPLE_FILES.png)]
    const failed = world.database.transact(async (db) => {
      await createFile(up.on(db), undone)
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect(await uploads()).toEqual([never.id, undone.id].toSorted())
    await world.clock.advance('23 hours 59 minutes')
    await cleanUp()
    expect(await objects()).toEqual(expect.arrayContaining([never.id, undone.id, kept.id]))
    await world.clock.advance('2 minutes')
    await cleanUp()
    const left = await objects()
    expect([left.includes(never.id), left.includes(undone.id), left.includes(kept.id), await uploads()]).toEqual([false, false, true, []])
    await expect(up.create(never)).rejects.toThrow('The upload no longer exists: uploads expire after a day. Upload the file again')
  })

  it('never turns an unclaimed upload into a file after its removal has begun, even if the removal was interrupted', async () => {
    const stored = await up.store(SAMPLE_FILES.png)
    await world.clock.advance('25 hours')
    const broken: FileStore = { ...world.services.files, remove: () => Promise.reject(new Error('the bucket is away')) }
    await expect(cleanUpFiles({ transact: world.database.transact, files: broken })).rejects.toThrow('the bucket is away')
    await expect(up.create(stored)).rejects.toThrow('The upload no longer exists')
    await cleanUp()
    expect([(await objects()).includes(stored.id), await uploads()]).toEqual([false, []])
  })

  it('removes discarded uploads immediately, or later if the removal fails', async () => {
    const [first, second] = [await up.store(SAMPLE_FILES.png), await up.store(SAMPLE_FILES.png)]
    await deleteUpload(up.place, first)
    const broken: FileStore = { ...world.services.files, remove: () => Promise.reject(new Error('away')) }
    await deleteUpload({ ...up.place, files: broken }, second)
    expect(await uploads()).toEqual([second.id])
  })

  it('creates only one file from an upload that two calls claim', async () => {
    const stored = await up.store(SAMPLE_FILES.png)
    const made = await Promise.allSettled([up.create(stored), up.create(stored)])
    expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('rejects the claim of an upload by another tenant', async () => {
    const stored = await up.store(SAMPLE_FILES.png)
    const other = createUploadFixtures(world, await world.client({ tenant: 'other' }))
    await expect(other.create(stored)).rejects.toThrow('The upload no longer exists')
    expect((await up.create(stored)).id).toBe(stored.id)
  })
})

describe('file claimed from an upload', () => {
  it('finds a stored file only at the event and tenant that it belongs to', async () => {
    const place = { clientId: summit.clientId, eventId: summit.eventId }
    const { id: fileId } = await up.file(SAMPLE_FILES.pdf, { purpose: 'contract' }, place)
    const at = { tenantId: summit.tenantId, db: world.database.read }
    const elsewhere = await world.event()
    expect((await getFile(at, { fileId, ...place, purpose: 'contract' })).id).toBe(fileId)
    for (const wrong of [{ clientId: elsewhere.clientId }, { eventId: elsewhere.eventId }, { purpose: 'badge' as const }])
      await expect(getFile(at, { fileId, ...wrong })).rejects.toThrow(`No file ${fileId}`)
    const { tenantId } = await world.client({ tenant: 'other' })
    await expect(getFile({ ...at, tenantId }, { fileId })).rejects.toThrow(`No file ${fileId}`)
  })

  it('denies access to a deleted file, and removes its bytes a day later', async () => {
    const { id } = await up.file(SAMPLE_FILES.png)
    await up.remove(id)
    await expect(read(id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(up.remove(id)).rejects.toMatchObject({ code: 'not_found' })
    await cleanUp()
    expect(await objects()).toContain(id)
    await world.clock.advance('25 hours')
    await cleanUp()
    expect(await objects()).not.toContain(id)
    expect(await rows('select 1 from files where id = $1', [id])).toEqual([])
  })
})
