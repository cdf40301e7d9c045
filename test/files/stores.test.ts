import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../src/kernel/ids.ts'
import type { FileStore } from '../../src/kernel/ports.ts'
import { Secret } from '../../src/kernel/secrets.ts'
import { createDiskFileStore } from '../../src/platform/disk-file-store.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { createS3FileStore } from '../../src/platform/s3-file-store.ts'
import { createTestFolder } from '../support/folder.ts'
import { type S3Server, startS3 } from '../support/s3-server.ts'

const MB = 1024 * 1024

let folder: string
let s3: S3Server
let stores: Record<'disk' | 's3', FileStore>

beforeAll(async () => {
  folder = join(createTestFolder(), 'files')
  s3 = await startS3()
  stores = { disk: createDiskFileStore(folder), s3: createS3FileStore(s3.settings) }
})
beforeEach(() => {
  s3.overrideResponse(() => null)
  s3.receivedRequests.length = 0
})
afterAll(async () => {
  stores.s3.close()
  await s3.stop()
})

const newKey = () => `7/${newId()}`
const pieces = (content: Buffer, size = 64 * 1024) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size)
    })(),
  )
const read = async (store: FileStore, key: string, range?: { start: number; end: number }) => {
  const content = await store.open(key, range)
  return content && (await buffer(content))
}
/** Lists every object in the file store. */
async function everything(kind: 'disk' | 's3'): Promise<string[]> {
  if (kind === 's3') return [...s3.objects.keys(), ...s3.uploads.keys()]
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

describe.each(['disk', 's3'] as const)('file store on %s', (kind) => {
  const store = () => stores[kind]

  it.each([0, 1, 70_000, 8 * MB, 20 * MB + 1])('returns stored files of %i bytes unchanged', async (size) => {
    const [key, content] = [newKey(), randomBytes(size)]
    await store().put(key, pieces(content))
    expect((await read(store(), key))!.equals(content)).toBe(true)
    await store().remove(key)
    expect(await read(store(), key)).toBeNull()
  })

  it('returns a byte range of a file, including both ends', async () => {
    const key = newKey()
    await store().put(key, pieces(Buffer.from('0123456789')))
    expect(String(await read(store(), key, { start: 2, end: 4 }))).toBe('234')
    expect(String(await read(store(), key, { start: 9, end: 9 }))).toBe('9')
  })

  it.each([10, 20 * MB])('stores no file if the upload is interrupted after %i bytes', async (size) => {
    const before = await everything(kind)
    const key = newKey()
    const broken = Readable.from(
      (async function* () {
        for (let sent = 0; sent < size; sent += 64 * 1024) yield randomBytes(Math.min(size, 64 * 1024))
        throw new Error('gone away')
      })(),
    )
    await expect(store().put(key, broken)).rejects.toThrow('gone away')
    expect(await read(store(), key)).toBeNull()
    expect(await everything(kind)).toEqual(before)
  })

  it('makes a file readable only once it is complete', async () => {
    const key = newKey()
    const source = new Readable({ read() {} })
    source.push(randomBytes(9 * MB))
    const putting = store().put(key, source)
    await expect.poll(async () => (await everything(kind)).length).toBeGreaterThan(0)
    expect(await read(store(), key)).toBeNull()
    source.push(Buffer.from('end'))
    source.push(null)
    await putting
    expect((await read(store(), key))!.length).toBe(9 * MB + 3)
    await store().remove(key)
  })

  it('ignores the removal of a file that does not exist', async () => {
    await store().remove(newKey())
  })

  it('checks a file store by storing, reading and removing a file', async () => {
    await store().check('reach')
    await store().check('write')
  })
})

describe('disk file store', () => {
  it('creates disk files that only its own user account can read, and accepts only generated keys', async () => {
    const id = newId()
    await stores.disk.put(`7/${id}`, pieces(Buffer.from('x')))
    const path = join(folder, '7', id.slice(-2), id)
    expect([(await stat(path)).mode & 0o777, (await stat(join(folder, '7'))).mode & 0o777]).toEqual([0o600, 0o700])
    for (const key of ['7/../../secret.key', `7/${id}/x`, '../7', '', `7/${id}\0`, `a/${id}`])
      await expect(stores.disk.open(key)).rejects.toThrow('not the key of a file')
  })

  it('removes a disk file together with the partial data of a killed process', async () => {
    const id = newId()
    await stores.disk.put(`7/${id}`, pieces(Buffer.from('x')))
    const part = join(folder, '7', id.slice(-2), `${id}.part`)
    await writeFile(part, 'half')
    await stores.disk.remove(`7/${id}`)
    expect([existsSync(part), await read(stores.disk, `7/${id}`)]).toEqual([false, null])
  })

  it('reports a storage folder that is not writable', async () => {
    const file = join(createTestFolder(), 'file')
    await writeFile(file, '')
    await expect(createDiskFileStore(file).check('write')).rejects.toThrow('EEXIST')
  })
})

describe('S3 file store', () => {
  it('sends only signed requests to the S3 bucket, and only those operations that the file store needs', async () => {
    const key = newKey()
    await stores.s3.put(key, pieces(randomBytes(17 * MB)))
    await read(stores.s3, key, { start: 0, end: 3 })
    await stores.s3.remove(key)
    expect([...new Set(s3.receivedRequests)]).toEqual(
      ['POST <key>uploads', 'PUT <key>partNumber,uploadId', 'POST <key>uploadId', 'GET <key>', 'DELETE <key>', 'GET uploads,prefix'].map(
        (line) => line.replace('uploads,prefix', 'prefix,uploads'),
      ),
    )
  })

  it('reports an error if the S3 bucket refuses the configured secret, key or region', async () => {
    for (const wrong of [{ secretAccessKey: new Secret('guessed') }, { accessKeyId: 'AKOTHER' }, { region: 'us-east-1' }]) {
      const store = createS3FileStore({ ...s3.settings, ...wrong })
      await expect(store.check('write')).rejects.toThrow(/signature|key or region/)
      store.close()
    }
    expect(s3.receivedRequests).toEqual([])
  })

  it('control: the S3 test server refuses a request without a signature', async () => {
    const { endpoint, bucket } = s3.settings
    expect((await fetch(`${endpoint}/${bucket}/7/x`, { method: 'PUT', body: 'x' })).status).toBe(403)
  })

  it('removes an S3 file together with the partial uploads of a killed process', async () => {
    const key = newKey()
    s3.uploads.set('cut-off', { key, parts: new Map([[1, randomBytes(10)]]) })
    s3.uploads.set('another', { key: newKey(), parts: new Map() })
    await stores.s3.remove(key)
    expect([...s3.uploads.keys()]).toEqual(['another'])
    s3.uploads.clear()
  })

  it('removes an S3 file even if the bucket does not allow listing partial uploads', async () => {
    s3.overrideResponse((request) => (request.url!.includes('uploads') ? { status: 403, code: 'AccessDenied' } : null))
    await stores.s3.remove(newKey())
    s3.overrideResponse((request) => (request.method === 'DELETE' ? { status: 403, code: 'AccessDenied' } : null))
    await expect(stores.s3.remove(newKey())).rejects.toThrow()
  })

  it('passes the check of an S3 store if the bucket answers, even without list permission', async () => {
    s3.overrideResponse(() => ({ status: 403, code: 'AccessDenied' }))
    await stores.s3.check('reach')
    s3.overrideResponse(() => ({ status: 404, code: 'NoSuchBucket' }))
    await expect(stores.s3.check('reach')).rejects.toThrow()
    const nowhere = createS3FileStore({ ...s3.settings, endpoint: 'http://127.0.0.1:9' })
    await expect(nowhere.check('reach')).rejects.toThrow()
    nowhere.close()
  })

  it('retries S3 requests while the bucket is busy', async () => {
    let busy = 2
    s3.overrideResponse(() => (busy-- > 0 ? { status: 503, code: 'SlowDown' } : null))
    const key = newKey()
    await stores.s3.put(key, pieces(Buffer.from('patience')))
    expect(String(await read(stores.s3, key))).toBe('patience')
  })
})

describe('file store settings', () => {
  const settings = (env: Record<string, string>) => readEnvironment({ LANYARD_STORAGE: 's3', ...env }, false)
  const S3 = { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'k', S3_SECRET_ACCESS_KEY: 's' }

  it('accepts settings for a bucket at Amazon or at another provider', () => {
    expect(readEnvironment({}, false).s3).toBeNull()
    expect(settings(S3).s3).toMatchObject({ endpoint: null, region: 'us-east-1', pathStyle: false })
    const elsewhere = { ...S3, S3_ENDPOINT: 'https://s3.example.org', S3_REGION: 'eu-1' }
    expect(settings(elsewhere).s3).toMatchObject({ endpoint: 'https://s3.example.org', region: 'eu-1', pathStyle: true })
    expect(settings({ ...elsewhere, S3_PATH_STYLE: 'false' }).s3?.pathStyle).toBe(false)
    expect(JSON.stringify(settings(S3))).not.toContain('"s"')
  })

  it.each([
    [{ LANYARD_STORAGE: 'tape' }, 'LANYARD_STORAGE must be one of disk, s3; it is tape'],
    [{ ...S3, S3_BUCKET: '' }, 'S3_BUCKET is not set: it is required by LANYARD_STORAGE=s3'],
    [{ ...S3, S3_SECRET_ACCESS_KEY: '' }, 'S3_SECRET_ACCESS_KEY is not set: it is required by LANYARD_STORAGE=s3'],
    [{ ...S3, S3_ENDPOINT: 'ftp://x' }, 'S3_ENDPOINT must be an address such as https://storage.example.org; it is ftp://x'],
    [{ ...S3, S3_PATH_STYLE: 'maybe' }, 'S3_PATH_STYLE must be one of true, false; it is maybe'],
  ])('rejects incomplete or invalid file store settings: %o', (env, message) => {
    expect(() => settings(env as Record<string, string>)).toThrow(message)
  })
})
