import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connectApp, getUserByEmail } from '../../src/domains/access/users.ts'
import { type ServiceProcess, startProcess } from './process.ts'
import { openSelling, type Selling } from './selling.ts'
import { freeBaseUrl } from './server.ts'
import { resourceAt, type ToolAnswer } from './world.ts'

type Arguments = Record<string, unknown>

/** An event on sale, with real processes that serve it over HTTP. */
export interface ServedSale {
  story: Selling
  /** Starts the process at this place, or starts it again, and returns when it is ready. */
  start: (place: number) => Promise<void>
  kill: (place: number) => Promise<void>
  address: (place: number) => string
  /** The most memory that the process had so far, in bytes. */
  peakMemory: (place: number) => number
  /** One call by one of the processes; null when it was not answered, or with no more than that it cannot be now. */
  ask: (place: number, tool: string, args: Arguments) => Promise<ToolAnswer | null>
  /** The same until it is answered, by the processes in turn. */
  answer: (tool: string, args: Arguments) => Promise<ToolAnswer>
  end: () => Promise<void>
}

/** At 120 requests a minute each, more than two processors answer. */
const APPS = 100

const pause = () => new Promise((resolve) => setTimeout(resolve, 100))

/** Nothing runs yet: `start` does. Time goes on, as it does for servers. */
export async function openServedSale(sections: object, { processes, server }: { processes: number; server?: string }): Promise<ServedSale> {
  const baseUrl = await freeBaseUrl()
  const ports = [Number(new URL(baseUrl).port)]
  while (ports.length < processes) ports.push(Number(new URL(await freeBaseUrl()).port))
  const story = await openSelling(sections, { startsOn: '2027-05-11', baseUrl, ...(server ? { server } : {}) })
  const { world, olga, event } = story
  await world.clock.reset()
  await world.keepSignedIn()
  const { accessVersion } = await getUserByEmail(world.database.write, olga.email)
  const tokens: string[] = []
  for (let app = 0; app < APPS; app++) {
    const { token } = await connectApp(world.database.write, {
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
  }
  const running: (ServiceProcess | undefined)[] = ports.map(() => undefined)
  let turn = 0

  /** A key is one app's own, so whoever repeats a call does so as the same app. */
  const appFor = (key: unknown) =>
    typeof key === 'string' ? createHash('sha256').update(key).digest().readUInt16BE() % APPS : ++turn % APPS

  const ask: ServedSale['ask'] = async (place, tool, args) => {
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
    story,
    async start(place) {
      running[place] = startProcess(['dist/main.js'], { port: ports[place]!, env })
      await running[place].ready()
    },
    async kill(place) {
      await running[place]!.end('SIGKILL')
    },
    address: (place) => `http://localhost:${ports[place]!}`,
    peakMemory: (place) => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${running[place]!.child.pid}/status`, 'utf8'))![1]) * 1024,
    ask,
    async answer(tool, args) {
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
