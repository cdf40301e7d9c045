import { spawnSync } from 'node:child_process'
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createTestFolder } from '../support/folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Installs a package, without a registry, that requires a Node version that does not exist. */
async function installForFutureNode(npmrc: boolean): Promise<string> {
  const folder = createTestFolder()
  const about = { name: 'project', version: '1.0.0', lockfileVersion: 3, requires: true }
  const root = { name: 'project', version: '1.0.0', dependencies: { future: '1.0.0' } }
  const future = { version: '1.0.0', resolved: 'https://registry.example/future-1.0.0.tgz', engines: { node: '>=999' } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(root))
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ ...about, packages: { '': root, 'node_modules/future': future } }))
  if (npmrc) await copyFile(join(ROOT, '.npmrc'), join(folder, '.npmrc'))
  // The npm that runs the tests sets its own settings as environment variables, which are removed.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_config_')))
  const run = spawnSync('npm', ['ci', '--dry-run', '--offline', '--no-audit'], {
    cwd: folder,
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  expect(run.status).toBe(0)
  return run.stdout + run.stderr
}

describe('npm ci', () => {
  it('shows no warning for a package that requires another Node version than the one that runs npm', async () => {
    expect(await installForFutureNode(true)).not.toContain('EBADENGINE')
  })

  it('control: npm ci warns about an unsupported Node version without the npm settings of this repository', async () => {
    expect(await installForFutureNode(false)).toContain('EBADENGINE')
  })
})
