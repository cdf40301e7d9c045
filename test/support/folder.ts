import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { createScratchFolder } from '../../scripts/scratch-folder.ts'

/** A new empty folder, in memory if there is space. Its contents are deleted at the end of the whole run. */
export function createTestFolder(): string {
  const run = process.env['LANYARD_TEST_FOLDER']
  return run ? mkdtempSync(join(run, 'test-')) : createScratchFolder('lanyard-test-')
}
