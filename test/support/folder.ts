import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../scripts/scratch-folder.ts'

/** A new empty folder, in memory where there is room. Whatever a test leaves behind goes with the whole run. */
export function testFolder(): string {
  const run = process.env['LANYARD_TEST_FOLDER']
  return run ? mkdtempSync(join(run, 'test-')) : scratchFolder('lanyard-test-')
}
