import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import { templateDirectory } from '../../src/platform/embedded-database.ts'
import { postgresTemplate } from './database.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What all test files share is made once, before the first of them: the template of their databases and the built server. */
export default async function setup(): Promise<() => void> {
  const server = process.env['TEST_DATABASE_URL']
  await (server ? postgresTemplate(server) : templateDirectory())
  if (existsSync(join(root, 'src/main.ts')) && !isBuilt()) build()
  const folder = scratchFolder(PREFIX)
  removeOldRuns(dirname(folder))
  process.env['LANYARD_TEST_FOLDER'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

const PREFIX = 'lanyard-tests-'

/** A run that was killed leaves its databases, in memory at worst. */
function removeOldRuns(parent: string): void {
  const hoursAgo = Date.now() - 6 * 3600 * 1000
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(PREFIX))) {
    const found = statSync(join(parent, name), { throwIfNoEntry: false })
    if (found && found.mtimeMs < hoursAgo) rmSync(join(parent, name), { recursive: true, force: true })
  }
}

/** As old as what was built: its time is that of the beginning. */
const BUILT = join(root, 'dist/.built')
const CONFIGURATION = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json']

/** Whether no file of the source was written since, and nothing put into one of its folders or taken out. */
function isBuilt(): boolean {
  const built = statSync(BUILT, { throwIfNoEntry: false })?.mtimeMs
  if (built === undefined) return false
  const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const isOlder = (path: string) => statSync(join(root, path)).mtimeMs < built
  return [...CONFIGURATION, 'src', ...source.map((path) => join('src', path))].every(isOlder)
}

/** Writes over dist and never empties it, because another run may be starting servers from it. */
function build(): void {
  const began = new Date()
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--noCheck'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The build failed:\n${stdout}`)
  for (const file of readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })) {
    const [, source] = /^(.*)\.js(\.map)?$/.exec(file) ?? []
    if (source && !['.ts', '.tsx'].some((ending) => existsSync(join(root, 'src', source + ending)))) rmSync(join(root, 'dist', file))
  }
  writeFileSync(BUILT, '')
  utimesSync(BUILT, began, began)
}
