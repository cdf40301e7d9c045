import { once } from 'node:events'
import { lockDirectory } from '../../../src/platform/directory-lock.ts'

// Prints ready, takes the folder lock after the first input line, prints the result, and runs until its input closes.
const [folder] = process.argv.slice(2)
console.log('ready')
await once(process.stdin, 'data')
try {
  await lockDirectory(folder!)
  console.log('holding')
} catch (error) {
  console.log((error as Error).message)
}
