import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connectAppWithoutSignInPage, getUserByEmail } from '../../src/domains/access/users.ts'
import { type ServiceProcess, startProcess } from './process.ts'
import { openSalesScenario, type SalesScenario } from './sales-scenario.ts'
import { chooseFreeBaseUrl } from './server.ts'
import { resourceAt, type ToolAnswer } from './world.ts'

type Arguments = Record<string, unknown>

/** An event on sale, served over HTTP by real processes. */
export interface ServedSale {
  sales: SalesScenario
  /** Starts or restarts the process with the given index, and returns when it is ready. */
  start: (place: number) => Promise<void>
  kill: (place: number) => Promise<void>
  address: (place: number) => string
  /** The peak memory of the process so far, in bytes. */
  peakMemory: (place: number) => number
  /** Sends one call to one of the processes. Returns null if there was no response or the service was unavailable. */
  tryCall: (place: number, tool: string, args: Arguments) => Promise<ToolAnswer | null>
  /** Repeats the call, alternating between processes, until there is a response. */
  callUntilAnswered: (tool: string, args: Arguments) => Promise<ToolAnswer>
  end: () => Promise<void>
}

/** The number of apps that send requests: with 120 requests a minute each, they are allowed more than two processors can handle. */
const APP_COUNT = 100
const START_ATTEMPTS = 5

const pause = () => new Promise((resolve) => setTimeout(resolve, 100))

/** Creates the event and its apps. `start` starts the processes. The clock runs in real time. */
export async function openServedSale(
  sections: object,
  { processes, server, settings = {} }: { processes: number; server?: string; settings?: Record<string, string> },
): Promise<ServedSale> {
  const baseUrl = await chooseFreeBaseUrl()
  const ports = [Number(new URL(baseUrl).port)]
  while (ports.length < processes) ports.push(Number(new URL(await chooseFreeBaseUrl()).port))
  const scenario = await openSalesScenario(sections, { startsOn: '2027-05-11', baseUrl, ...(server ? { server } : {}) })
  const { world, olga, event } = scenario
  await world.clock.reset()
  await world.renewTokens()
  const { accessVersion } = await getUserByEmail(world.database.write, olga.email)
  const tokens: string[] = []
  for (let app = 0; app < APP_COUNT; app++) {
    const { token } = await connectAppWithoutSignInPage(world.database.write, {
      userId: olga.userId,
      tenantId: event.tenantId,
      accessVersion,
      clientId: `app-${app}`,
      appName: 'A',
      resource: resourceAt(baseUrl),
      lifetime: '4 hours',
    })
    tokens.push(token.reveal())
  }
  const env = {
    DATABASE_URL: world.url!,
    LANYARD_BASE_URL: baseUrl,
    LANYARD_SECRET_KEY: randomBytes(32).toString('base64'),
    LANYARD_DATA_DIR: world.dataDir,
    LANYARD_LOG_LEVEL: 'error',
    ...settings,
  }
  const running: (ServiceProcess | undefined)[] = ports.map(() => undefined)
  let turn = 0

  /** Idempotency keys belong to one app, so a call is always repeated by the same app. */
  const appFor = (key: unknown) =>
    typeof key === 'string' ? createHash('sha256').update(key).digest().readUInt16BE() % APP_COUNT : ++turn % APP_COUNT

  const ask: ServedSale['tryCall'] = async (place, tool, args) => {
    const params = { name: tool, arguments: { eventCode: event.eventCode, ...args } }
    try {
      const response = await fetch(`http://localhost:${ports[place]!}/api/mcp/organizer`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tokens[appFor(args['idempotencyKey'])]!}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      const { result } = (await response.json()) as { result?: ToolAnswer }
      return !result || result._meta?.['lanyard/error']?.code === 'unavailable' ? null : result
    } catch {
      return null
    }
  }
  return {
    sales: scenario,
    async start(place) {
      for (let attempt = 1; ; attempt++) {
        running[place] = startProcess(['dist/main.js'], { port: ports[place]!, env })
        try {
          return await running[place].ready()
        } catch (error) {
          // A busy machine may answer too late to connect, so the process is started again, as a service manager does.
          if (attempt === START_ATTEMPTS) throw error
        }
      }
    },
    async kill(place) {
      await running[place]!.end('SIGKILL')
    },
    address: (place) => `http://localhost:${ports[place]!}`,
    peakMemory: (place) => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${running[place]!.child.pid}/status`, 'utf8'))![1]) * 1024,
    tryCall: ask,
    async callUntilAnswered(tool, args) {
      for (let place = ++turn % processes; ; place = (place + 1) % processes) {
        const answer = await ask(place, tool, args)
        if (answer) return answer
        await pause()
      }
    },
    async end() {
      for (const service of running) await service?.end('SIGKILL')
      await world.end()
    },
  }
}
