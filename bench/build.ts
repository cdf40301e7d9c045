import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Compiles the measured code as `npm start` does and returns the output folder. A loader that compiles on import wraps every function to
 * keep its name, which makes small functions several times slower than in production.
 */
export function buildForBench(): string {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'lanyard-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const args = [compiler, '-p', join(root, 'bench/tsconfig.json'), '--outDir', folder]
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The build failed:\n${stdout}`)
  // Copies scripts that are already JavaScript, because the compiler does not.
  for (const name of readdirSync(join(root, 'test/support')).filter((file) => file.endsWith('.js')))
    cpSync(join(root, 'test/support', name), join(folder, 'test/support', name))
  // Links all other files, such as migrations and assets, so that the build finds them at the same relative paths as the sources.
  for (const name of readdirSync(root)) {
    if (!existsSync(join(folder, name)) && !name.startsWith('.')) symlinkSync(join(root, name), join(folder, name))
  }
  return join(folder, 'bench')
}
