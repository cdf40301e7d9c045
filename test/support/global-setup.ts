import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildIfStale } from '../../scripts/build.mjs'
import { createScratchFolder } from '../../scripts/scratch-folder.ts'
import { ensureTemplateDatabase } from '../../src/platform/embedded-database.ts'
import { ensurePostgresTemplate } from './database.ts'

/** Creates the template database and the built server before the first test file runs, because all test files share them. */
export default async function setup(): Promise<() => void> {
  const server = process.env['TEST_DATABASE_URL']
  await (server ? ensurePostgresTemplate(server) : ensureTemplateDatabase())
  await buildIfStale()
  const folder = createScratchFolder(PREFIX)
  removeOldRuns(dirname(folder))
  process.env['LANYARD_TEST_FOLDER'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

const PREFIX = 'lanyard-tests-'

/** Removes the databases that a killed run left behind, possibly in a memory file system. */
function removeOldRuns(parent: string): void {
  const hoursAgo = Date.now() - 6 * 3600 * 1000
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(PREFIX))) {
    const found = statSync(join(parent, name), { throwIfNoEntry: false })
    if (found && found.mtimeMs < hoursAgo) rmSync(join(parent, name), { recursive: true, force: true })
  }
}
