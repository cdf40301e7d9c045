import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { chooseForSoak } from '../support/soak.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const server = process.env['TEST_DATABASE_URL']

/** A part that sends requests to a server of its own, and one that runs in the process. A soak run starts all parts. */
const PARTS_ON_COMMIT = ['door', 'report-files']

/** Runs one short round. The exit code and the output of a failed run are part of the rejection. */
const runBench = async (...args: string[]): Promise<string> => {
  const command = ['--no-memory-protection-keys', '--import', 'tsx', 'bench/run.ts', '--smoke', ...args]
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root, env: { ...process.env, DATABASE_URL: server } })
  return stdout
}

// The bench measures PostgreSQL only.
describe.skipIf(server === undefined)('npm run bench -- --smoke', () => {
  it(`runs one short round of these benchmarks: ${chooseForSoak('all', PARTS_ON_COMMIT.join(', '))}`, async () => {
    const [, measurements] = /^Started: (\d+) measurements$/m.exec(await runBench(...chooseForSoak([], PARTS_ON_COMMIT))) ?? []
    expect(Number(measurements)).toBeGreaterThan(chooseForSoak(40, PARTS_ON_COMMIT.length))
  })

  it('fails for an unknown benchmark name and lists the known ones', async () => {
    await expect(runBench('absent')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('Parts: without-io, with-database') })
  })
})
