import { rm } from 'node:fs/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestFolder } from '../support/folder.ts'
import { startProcess, type ServiceProcess } from '../support/process.ts'
import { chooseFreeBaseUrl } from '../support/server.ts'

/** Follows a developer who has just cloned the repository: start, use the printed commands, stop, start again. */
describe('first run of the product', () => {
  const dataDir = createTestFolder()
  const started: ServiceProcess[] = []
  afterAll(async () => {
    for (const service of started) if (service.child.exitCode === null && service.child.signalCode === null) await service.end('SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  })

  const start = (port: number) => {
    const service = startProcess(['--enable-source-maps', 'dist/main.js'], { port, env: { LANYARD_DATA_DIR: dataDir } })
    started.push(service)
    return service
  }
  const call = async (base: string, token: string, name: string, args: object = {}) => {
    const response = await fetch(`${base}/api/mcp/organizer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    })
    return ((await response.json()) as { result: { structuredContent: any } }).result.structuredContent
  }

  it('prints commands that work at the first start, and keeps all data after the process is killed', async () => {
    const base = await chooseFreeBaseUrl()
    const port = Number(new URL(base).port)
    const first = start(port)
    await first.ready()
    await expect.poll(() => first.output()).toContain('Discovery')
    const token = /Organizer token\s+(lat_\S+)/.exec(first.output())![1]!
    expect(first.output()).toContain(`${base}/api/mcp/organizer`)
    expect(/API token\s+(lak_\S+)/.test(first.output())).toBe(true)
    const pasted = JSON.parse(/^\{\n {2}"mcpServers"[\s\S]*?^\}$/m.exec(first.output())![0]) as { mcpServers: { lanyard: { url: string } } }
    expect(pasted.mcpServers.lanyard).toEqual({ url: `${base}/api/mcp/organizer` })
    expect((await call(base, token, 'list_my_events')).total).toBe(4)
    expect((await call(base, token, 'update_client', { clientCode: 'acme', name: 'Acme, renamed' })).changed).toEqual(['name'])

    const second = start(port + 1)
    const [code] = (await new Promise<[number | null]>((resolve) => second.child.once('exit', (exit) => resolve([exit])))) as [number]
    expect(code).toBe(1)
    expect(second.output().trim()).toBe(
      `Starting Lanyard …\nThe data folder ${dataDir} is in use by another Lanyard process. Stop it first, or set DATABASE_URL to use PostgreSQL.`,
    )

    await first.end('SIGKILL')
    const again = start(port)
    await again.ready()
    expect((await call(base, token, 'list_clients')).clients[0].name).toBe('Acme, renamed')
    await expect.poll(() => again.output()).toContain('Discovery')
    expect(again.output()).not.toContain('lat_')
    expect(first.output()).toMatch(/^Starting Lanyard/)
    expect(again.output()).toContain('Password lost? Run  npm run lanyard -- user reset --email organizer@demo.example')
    expect(await again.end('SIGTERM')).toBe(0)
  })
})
