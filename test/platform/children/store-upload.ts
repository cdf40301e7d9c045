import { join } from 'node:path'
import { Readable } from 'node:stream'
import { storeUpload } from '../../../src/domains/files/upload.ts'
import { createTenant } from '../../../src/domains/tenancy/create.ts'
import { openDatabase } from '../../../src/platform/database.ts'
import { createDiskFileStore } from '../../../src/platform/disk-file-store.ts'
import { createDatabaseAccess } from '../../../src/platform/kysely.ts'
import { SAMPLE_FILES } from '../../support/samples.ts'

const [dataDir] = process.argv.slice(2)
if (!dataDir) throw new Error('store-upload <dataDir>')
// Exits when the test run ends, even if the test run is killed.
process.stdin.resume().on('end', () => process.exit())
const database = createDatabaseAccess(await openDatabase({ dataDir }))
const ignoreLog = () => {}
const place = {
  db: database.write,
  files: createDiskFileStore(join(dataDir, 'files')),
  log: { info: ignoreLog, warn: ignoreLog, error: ignoreLog },
}
const tenantId = await createTenant(database.write, { code: 'demo', name: 'Demo' })

/** Leaves two uploads behind: a complete one that no file claims yet, and one of which only the beginning has arrived. */
const whole = await storeUpload(place, { tenantId, purpose: 'headshot', name: 'a.png', content: Readable.from([SAMPLE_FILES.png]) })
const half = new Readable({ read() {} })
half.push(Buffer.concat([SAMPLE_FILES.png, Buffer.alloc(1_000_000)]))
void storeUpload(place, { tenantId, purpose: 'headshot', name: 'b.png', content: half })
console.log(`${tenantId} ${whole.id}`)
