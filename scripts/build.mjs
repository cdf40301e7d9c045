// Plain JavaScript, because it runs before anything is compiled and with every Node version that Lanyard supports.
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')
const SDK = join(ROOT, 'clients/lead-sdk/lib/index.js')
const SRC = join(ROOT, 'src')
const PROGRAMS = ['main', 'cli']
const MODULE_ADDRESS = /\bimport\.meta\.url\b/g
/** The name of a package, except for the helpers that the bundler itself adds. */
const INSTALLED_PACKAGE = /^(?!@oxc-project\/runtime)[@\w]/
const SOURCES = ['src', 'clients/lead-sdk/src']
const CONFIGURATION = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'clients/lead-sdk/tsconfig.json']
/** Older builds that are kept, because a running server imports modules from its own build when it first needs them. */
const KEPT_BUILDS = 2

/** Builds the server and the lead SDK, unless the last build is newer than every source file. */
export async function buildIfStale() {
  if (!isUpToDate()) await build()
}

function isUpToDate() {
  // Its modification time is the time at which the build started.
  const built = statSync(join(DIST, '.built'), { throwIfNoEntry: false })?.mtimeMs
  if (built === undefined || !existsSync(SDK)) return false
  const files = SOURCES.flatMap((folder) => [
    folder,
    ...readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ])
  return [...CONFIGURATION, ...files].every((path) => statSync(join(ROOT, path)).mtimeMs < built)
}

/** Compiles into a new folder and then points the link `dist` to it, so that a running server keeps the files that it was started from. */
async function build() {
  const began = new Date()
  const folder = `dist-${began.getTime()}-${process.pid}`
  compile('tsconfig.build.json', '--noCheck', '--outDir', folder)
  compile('clients/lead-sdk')
  await bundle(folder)
  const marker = join(ROOT, folder, '.built')
  writeFileSync(marker, '')
  utimesSync(marker, began, began)
  const link = `${DIST}-link-${process.pid}`
  symlinkSync(process.platform === 'win32' ? join(ROOT, folder) : folder, link, 'junction')
  const current = lstatSync(DIST, { throwIfNoEntry: false })
  // A directory of an earlier version, and on Windows any link, cannot be replaced by renaming.
  if (current && (!current.isSymbolicLink() || process.platform === 'win32')) rmSync(DIST, { recursive: true, force: true })
  renameSync(link, DIST)
  removeOldBuilds(folder)
}

function compile(...options) {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', ...options], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The build of ${options[0]} failed:\n${stdout}`)
}

/**
 * Replaces the programs by bundles of few files, because loading thousands of modules takes longer than the rest of a start. Threads and the
 * programs of tests load the compiled modules.
 */
async function bundle(folder) {
  const { rolldown } = await import('rolldown')
  const bundled = await rolldown({
    cwd: ROOT,
    input: PROGRAMS.map((name) => join(SRC, `${name}.ts`)),
    platform: 'node',
    tsconfig: join(ROOT, 'tsconfig.json'),
    external: INSTALLED_PACKAGE,
    plugins: [{ name: 'addresses of modules', transform: { filter: { code: MODULE_ADDRESS }, handler: keepModuleAddress } }],
  })
  await bundled.write({ dir: join(ROOT, folder), sourcemap: true, chunkFileNames: '[name]-[hash].js' })
}

/** Files and threads are found from the address of a module, so a module keeps the address of its compiled file. */
function keepModuleAddress(code, id) {
  const compiled = relative(SRC, id)
    .replaceAll(sep, '/')
    .replace(/\.tsx?$/, '.js')
  return { code: code.replaceAll(MODULE_ADDRESS, `new URL('./${compiled}', import.meta.url).href`), map: null }
}

function removeOldBuilds(current) {
  const older = readdirSync(ROOT)
    .filter((name) => /^dist-\d+-\d+$/.test(name) && name !== current)
    .toSorted()
  for (const name of older.slice(0, Math.max(0, older.length - KEPT_BUILDS))) rmSync(join(ROOT, name), { recursive: true, force: true })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await buildIfStale()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
