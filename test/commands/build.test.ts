import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readlink, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestFolder } from '../support/folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
let project: string

const write = async (path: string, text: string) => {
  await mkdir(dirname(join(project, path)), { recursive: true })
  await writeFile(join(project, path), text)
}
const build = () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: project, encoding: 'utf8' })
  return { status, stderr }
}
const compilerOptions = { module: 'nodenext', target: 'es2024', rootDir: 'src', outDir: 'lib', rewriteRelativeImportExtensions: true }

beforeEach(async () => {
  project = createTestFolder()
  await mkdir(join(project, 'scripts'), { recursive: true })
  await cp(join(ROOT, 'scripts/build.mjs'), join(project, 'scripts/build.mjs'))
  await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'), 'junction')
  await write('package.json', '{ "type": "module" }')
  await write('package-lock.json', '{}')
  await write('tsconfig.json', '{}')
  await write('tsconfig.build.json', JSON.stringify({ compilerOptions, include: ['src'] }))
  await write('clients/lead-sdk/tsconfig.json', JSON.stringify({ compilerOptions, include: ['src'] }))
  await write('clients/lead-sdk/src/index.ts', 'export const sdk = 1\n')
  await write('src/lazy.ts', `export const version = 'first'\n`)
  await write('src/cli.ts', 'export {}\n')
  await write('src/parts/address.ts', 'export const address = import.meta.url\n')
  await write(
    'src/main.ts',
    `declare const process: any
import { address } from './parts/address.ts'
process.stdout.write('ready')
process.stdin.once('data', async () => {
  process.stdout.write((await import('./lazy.ts')).version + ' from ' + address.split('/').slice(-2).join('/'))
  process.exit()
})
`,
  )
})

describe('npm run build', () => {
  it('keeps the files of a running server and the addresses of its modules when a newer build replaces them', async () => {
    expect(build()).toEqual({ status: 0, stderr: '' })
    const server = spawn(process.execPath, ['dist/main.js'], { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] })
    await once(server.stdout, 'data')
    await write('src/lazy.ts', `export const version = 'second'\n`)
    expect(build().status).toBe(0)
    server.stdin.write('go')
    const [answer] = await once(server.stdout, 'data')
    expect(String(answer)).toBe('first from parts/address.js')
    const restarted = spawnSync(process.execPath, ['dist/main.js'], { cwd: project, input: 'go', encoding: 'utf8' })
    expect(restarted.stdout).toBe('readysecond from parts/address.js')
  })

  it('builds nothing when no source file is newer than the last build', async () => {
    build()
    const before = await readlink(join(project, 'dist'))
    build()
    expect(await readlink(join(project, 'dist'))).toBe(before)
    await write('src/added.ts', 'export const added = 1\n')
    build()
    expect(await readlink(join(project, 'dist'))).not.toBe(before)
  })

  it('reports a source file that does not compile, and keeps the last build', async () => {
    build()
    const before = await readlink(join(project, 'dist'))
    await write('src/lazy.ts', 'export const version = \n')
    expect(build()).toMatchObject({ status: 1, stderr: expect.stringContaining('lazy.ts') })
    expect(await readlink(join(project, 'dist'))).toBe(before)
  })

  it('removes builds older than the last three', async () => {
    for (let round = 0; round < 5; round++) {
      await write('src/lazy.ts', `export const version = '${round}'\n`)
      build()
    }
    expect((await readdir(project)).filter((name) => name.startsWith('dist-'))).toHaveLength(3)
  })
})
