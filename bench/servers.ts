import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Child, startChild } from './child.ts'
import type { LoadTarget, Load, LoadResult } from './load.ts'

export interface MeasuredWindow {
  /** Requests per second. */
  rate: number
  /** CPU time of the server for one request, in microseconds, excluding the process that sends the requests. */
  cpu: number
}

/** A server in its own process, and the requests to send it. */
export interface MeasuredTarget {
  window: (seconds: number) => Promise<MeasuredWindow>
  /** Sends one request and returns the parsed response. */
  answer: () => Promise<unknown>
}

export interface Fleet {
  start: (name: string, environment?: Record<string, string>) => Promise<Child>
  aim: (server: Child, requests: string[], connections: number) => Promise<MeasuredTarget>
  stop: () => void
}

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } }
/** The Node options of `npm start`, such as the size of the heap. Our server and the one that it is compared with run with the same. */
const START_OPTIONS = scripts.start.split(' ').filter((option) => option.startsWith('--'))

/** Starts servers from the build in `folder`, and one process that sends requests. All of them end with this process. */
export async function openFleet(folder: string): Promise<Fleet> {
  const sender = await startChild(`${folder}/load.js`)
  const started = [sender]
  let aims = 0
  return {
    async start(name, environment) {
      const server = await startChild(`${folder}/servers/${name}.js`, environment, START_OPTIONS)
      started.push(server)
      return server
    },
    async aim(server, requests, connections) {
      const name = String(++aims)
      await sender.ask('aim', { name, port: await server.ask('port'), requests } satisfies LoadTarget)
      const drive = (seconds: number) => sender.ask<LoadResult>('drive', { name, connections, seconds } satisfies Load)
      return {
        async window(seconds) {
          const before = await server.ask<number>('cpu')
          const loaded = await drive(seconds)
          const after = await server.ask<number>('cpu')
          return { rate: loaded.requests / loaded.seconds, cpu: (after - before) / loaded.requests }
        },
        answer: async () => JSON.parse((await drive(0)).sample) as unknown,
      }
    },
    stop: () => started.forEach((child) => child.stop()),
  }
}

/** Throws if the servers return different responses, because then their speeds cannot be compared. */
export async function assertEqualResponses(targets: readonly MeasuredTarget[]): Promise<void> {
  const [first, ...others] = await Promise.all(targets.map((target) => target.answer()))
  for (const other of others) {
    if (!isDeepStrictEqual(first, other))
      throw new Error(`Two servers respond differently:\n${JSON.stringify(first).slice(0, 1000)}\n${JSON.stringify(other).slice(0, 1000)}`)
  }
}
