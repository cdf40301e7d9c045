import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { Tables } from '../../../src/kernel/columns.ts'
import { storeUpload } from '../../../src/domains/files/upload.ts'
import { Secret } from '../../../src/kernel/secrets.ts'
import type { S3Settings } from '../../../src/platform/environment.ts'
import { openFileStore } from '../../../src/platform/file-store.ts'

/** Streams a large upload and prints by how many bytes this process grew. The folder contains the settings of a bucket, or null. */
const [dataDir] = process.argv.slice(2)
if (!dataDir) throw new Error('stream-upload <dataDir>')
process.stdin.resume().on('end', () => process.exit())
const given = JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')) as
  | (Omit<S3Settings, 'secretAccessKey'> & { secret: string })
  | null
const files = await openFileStore({ dataDir, s3: given && { ...given, secretAccessKey: new Secret(given.secret) } })
// Avoids an embedded database, whose memory would distort the measurement.
const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (made) => new PostgresIntrospector(made),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})
const ignoreLog = () => {}
const place = { db, files, log: { info: ignoreLog, warn: ignoreLog, error: ignoreLog } }
const tenantId = 1

const chunk = Buffer.from('name;email\n'.repeat(6000))
const upload = (bytes: number) => {
  const content = Readable.from(
    (function* () {
      for (let sent = 0; sent < bytes; sent += chunk.length) yield Buffer.from(chunk)
    })(),
  )
  return storeUpload(place, { tenantId, purpose: 'export', name: 'people.csv', content })
}
await upload(60 * 1024 * 1024)
const before = process.memoryUsage.rss()
let most = before
const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5)
const { size } = await upload(300 * 1024 * 1024)
clearInterval(watch)
console.log(JSON.stringify({ size, grew: Math.max(most, process.memoryUsage.rss()) - before }))
process.exit()
