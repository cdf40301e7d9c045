import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../scripts/scratch-folder.ts'

/** A new empty folder, in memory if there is space. Its contents are deleted at the end of the whole run. */
export function testFolder(): string {
  const run = process.env['LANYARD_TEST_FOLDER']
  return run ? mkdtempSync(join(run, 'test-')) : scratchFolder('lanyard-test-')
}
