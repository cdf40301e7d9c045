import { once } from 'node:events'
import { lockDirectory } from '../../../src/platform/directory-lock.ts'

// Ready, then at a first word takes the lock, tells how that went, and stays while its input is open.
const [folder] = process.argv.slice(2)
console.log('ready')
await once(process.stdin, 'data')
try {
  await lockDirectory(folder!)
  console.log('holding')
} catch (error) {
  console.log((error as Error).message)
}
