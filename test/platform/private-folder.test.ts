import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { doctorCommand } from '../../src/commands/doctor.ts'
import { openEmbeddedPostgres } from '../../src/platform/embedded-database.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { loadMasterKeys } from '../../src/platform/master-key.ts'
import { listPathsAccessibleToOthers, ensurePrivateFolder } from '../../src/platform/private-folder.ts'

/** A folder open to every account, containing the data folder that the service creates. */
function installation() {
  const shared = mkdtempSync(join(tmpdir(), 'lanyard-private-'))
  chmodSync(shared, 0o755)
  onTestFinished(() => rm(shared, { recursive: true, force: true }))
  const dataDir = join(shared, 'data')
  return { dataDir, environment: readEnvironment({ LANYARD_DATA_DIR: dataDir }, false) }
}

const modeOf = (...path: string[]) => (statSync(join(...path)).mode & 0o7777).toString(8)

/** Simulates an account with umask 0, as some machines have. */
function withoutMask() {
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))
}

async function openOnce(dataDir: string): Promise<void> {
  await (await openEmbeddedPostgres(dataDir)).close()
}

const folderFinding = async (environment: ReturnType<typeof readEnvironment>) => {
  const { data } = await doctorCommand.run({ environment, words: [], flags: {} })
  return (data as { findings: { check: string; state: string; says: string }[] }).findings.find(({ check }) => check === 'data folder')!
}

describe('data folder', () => {
  it('makes the data folder and everything in it readable only by the account of the service', async () => {
    const { dataDir, environment } = installation()
    withoutMask()
    await openOnce(dataDir)
    await loadMasterKeys(environment)
    expect(modeOf(dataDir)).toBe('700')
    expect([modeOf(dataDir, 'postgres'), modeOf(dataDir, 'lock'), modeOf(dataDir, 'secret.key')]).toEqual(['700', '700', '600'])
  })

  it('closes the data folder to other accounts at the next start if an earlier version left it open', async () => {
    const { dataDir, environment } = installation()
    await openOnce(dataDir)
    writeFileSync(join(dataDir, 'secret.key'), Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64'))
    const open = () => {
      for (const path of ['', 'postgres', 'lock']) chmodSync(join(dataDir, path), 0o755)
      chmodSync(join(dataDir, 'secret.key'), 0o644)
    }
    open()
    await openOnce(dataDir)
    await loadMasterKeys(environment)
    expect(['', 'postgres', 'lock', 'secret.key'].map((path) => modeOf(dataDir, path))).toEqual(['700', '700', '700', '600'])

    // A data folder that contains only a key, because the database is elsewhere, is closed too.
    open()
    await loadMasterKeys(environment)
    expect([modeOf(dataDir), modeOf(dataDir, 'secret.key')]).toEqual(['700', '600'])
  })

  it.skipIf(process.getuid?.() !== 0)('creates a data folder that another account cannot read', async () => {
    const { dataDir } = installation()
    await openOnce(dataDir)
    const otherAccount = { uid: 65_534, gid: 65_534 }
    const read = (path: string) => promisify(execFile)('cat', [join(dataDir, path)], otherAccount)
    await expect(read('postgres/PG_VERSION')).rejects.toThrow('Permission denied')
    // Without the folder's protection the file would be readable.
    chmodSync(dataDir, 0o755)
    chmodSync(join(dataDir, 'postgres'), 0o755)
    expect((await read('postgres/PG_VERSION')).stdout).toMatch(/^\d+\n$/)
  })

  it('lists in lanyard doctor the data files that other accounts could access, whether fixed or not', async () => {
    const { dataDir, environment } = installation()
    mkdirSync(dataDir)
    await loadMasterKeys(environment)
    expect(await folderFinding(environment)).toMatchObject({ state: 'ok' })
    chmodSync(dataDir, 0o750)
    chmodSync(join(dataDir, 'secret.key'), 0o640)
    const found = await folderFinding(environment)
    expect(found.state).toBe('warn')
    expect(found.says).toContain(`could access ${dataDir}, ${join(dataDir, 'secret.key')}; this is now fixed`)
    expect(await folderFinding(environment)).toMatchObject({ state: 'ok' })
    expect(existsSync(join(dataDir, '.doctor'))).toBe(false)
  })

  it.skipIf(process.getuid?.() !== 0)('reports a data folder owned by another account without stopping the service', async () => {
    const { dataDir } = installation()
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o777)
    process.seteuid!(65_534)
    onTestFinished(() => process.seteuid!(0))
    await ensurePrivateFolder(dataDir)
    await ensurePrivateFolder(join(dataDir, 'postgres'))
    expect(await listPathsAccessibleToOthers(dataDir)).toEqual([dataDir])
    expect(modeOf(dataDir, 'postgres')).toBe('700')
  })
})
