import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { deriveKeys } from '../../../src/kernel/secrets.ts'
import { writeBackup } from '../../../src/platform/backup/write-backup.ts'
import { openDatabase } from '../../../src/platform/database.ts'
import { createDiskFileStore } from '../../../src/platform/disk-file-store.ts'

const [dataDir] = process.argv.slice(2)
if (!dataDir) throw new Error('write-backup <dataDir>')
// Exits when the test run ends, even if the test run is killed.
process.stdin.resume().on('end', () => process.exit())
const { reader } = await openDatabase({ dataDir })

/** The content of a file that never ends, so that the backup never finishes. */
const content = new Readable({ read: () => {} })
setInterval(() => content.push(randomBytes(100_000)), 10)
const files = { ...createDiskFileStore(join(dataDir, 'files')), open: () => Promise.resolve(content) }
const listFiles = () => Promise.resolve([{ key: '1/0123456789abcdef01234567', sha256: '' }])
void writeBackup(join(dataDir, 'a.backup'), { reader, files, keys: deriveKeys(randomBytes(32)), listFiles })

const part = async () => (await readdir(dataDir)).find((name) => name.endsWith('.part'))
const written = async () => (await stat(join(dataDir, (await part()) ?? '')).catch(() => ({ size: 0 }))).size
while (!(await part()) || (await written()) < 1_000_000) await sleep(20)
console.log('in the midst of it')
