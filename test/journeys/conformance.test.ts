import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONFORMANCE_TOOLS } from '../support/conformance-tools.ts'
import { createTestFolder } from '../support/folder.ts'
import { startHeaderProxy } from '../support/header-proxy.ts'
import { ORGANIZER_PATH } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const require = createRequire(import.meta.url)
const CLI = {
  current: require.resolve('@modelcontextprotocol/conformance/dist/index.js'),
  of2025: require.resolve('conformance-2025/dist/index.js'),
}
const PATIENT = new URL('../support/patient-timers.ts', import.meta.url).href
/** The number of connected apps: the suites make more requests in a minute than the rate limit of one app allows. */
const APPS = 12

let world: World
let served: Served
let proxy: Awaited<ReturnType<typeof startHeaderProxy>>

beforeAll(async () => {
  const baseUrl = await chooseFreeBaseUrl()
  world = await newWorld({ baseUrl })
  const at = await world.client()
  const tokens = await Promise.all(Array.from({ length: APPS }, async (_, i) => (await world.organizer({ at, app: `App ${i}` })).token))
  let requests = 0
  served = await serve(world, { port: 0, extras: { rawTools: CONFORMANCE_TOOLS, capabilities: { logging: {} } } })
  proxy = await startHeaderProxy({
    port: Number(new URL(baseUrl).port),
    target: served,
    headers: () => ({ authorization: `Bearer ${tokens[requests++ % APPS]}` }),
  })
})
afterAll(async () => {
  await proxy.stop()
  await world.end()
})

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
}

/** Returns the suite's exit code, its output and the results of its checks. */
async function run(cli: string, args: readonly string[]) {
  const folder = createTestFolder()
  const child = spawn(
    process.execPath,
    ['--import', PATIENT, cli, 'server', '--url', `${world.services.baseUrl}${ORGANIZER_PATH}`, '-o', folder, ...args],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (printed += text.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  const scenarios = readdirSync(folder).map((name) => ({
    name: /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(name)![1]!,
    checks: JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[],
  }))
  return { code, printed, scenarios }
}

const baseline = (name: string) => ['--expected-failures', fileURLToPath(new URL(`conformance/${name}.yml`, import.meta.url))]

/** Conformance scenarios for tools that must pass. They must not be listed as expected failures. */
const TOOLS = [
  'tools-list',
  ...['simple-text', 'image', 'audio', 'embedded-resource', 'mixed-content', 'error'].map((s) => `tools-call-${s}`),
]
const BOTH = [...TOOLS, 'tools-call-with-progress', 'dns-rebinding-protection', 'json-schema-2020-12']

const SUITES = [
  {
    what: 'the requirements of 2026-07-28',
    cli: CLI.current,
    args: ['--requirements', '2026-07-28', ...baseline('2026-07-28')],
    clean: [...BOTH, 'server-stateless', 'http-header-validation', 'server-sse-multiple-streams'],
  },
  {
    what: 'the requirements of 2025-11-25',
    cli: CLI.current,
    args: ['--requirements', '2025-11-25', ...baseline('2025-11-25')],
    clean: [...BOTH, 'server-initialize', 'ping'],
  },
  {
    what: 'the suite of the 2025 revisions',
    cli: CLI.of2025,
    args: ['--suite', 'all', ...baseline('0.1.16')],
    clean: [...BOTH, 'server-initialize', 'ping'],
  },
]

describe('conformance of the organizer endpoint', () => {
  it.concurrent.each(SUITES)('passes the MCP conformance suite: $what', async ({ cli, args, clean }) => {
    const { code, printed, scenarios } = await run(cli, args)
    if (code !== 0) throw new Error(`The suite ended with ${code}:\n${printed}`)
    const withStatus = (...wanted: Check['status'][]) =>
      scenarios.filter(({ checks }) => checks.some(({ status }) => wanted.includes(status))).map(({ name }) => name)
    const faulty = withStatus('FAILURE', 'WARNING')
    expect(clean.filter((name) => faulty.includes(name))).toEqual([])
    expect(withStatus('SUCCESS')).toEqual(expect.arrayContaining(clean))
  })

  it('control: the MCP conformance suite fails for a missing feature that is not an expected failure', async () => {
    expect((await run(CLI.current, ['--scenario', 'prompts-list', '--spec-version', '2026-07-28'])).code).toBe(1)
  })
})
