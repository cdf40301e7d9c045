import { Worker } from 'node:worker_threads'
import type { VegaSpecWithData } from './scene.ts'

/** A chart scene to render, sent to the rendering thread. */
export interface RenderTask {
  id: number
  scene: VegaSpecWithData
}
export type RenderTaskResult = { id: number; svg: string } | { id: number; failed: string }

/** The file that the thread runs. Its extension is that of this file, because the compiler rewrites `.ts` to `.js` only in imports. */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? './render-thread.ts' : './render-thread.js', import.meta.url)
const MEMORY_MB = 512
/** Maximum time for rendering a chart, which usually takes less than a second. A thread that takes longer is replaced. */
const MAX_MS = 20_000
/** Time for which an idle thread is kept, because loading the libraries takes longer than rendering most charts. */
const KEPT_IDLE_MS = 60_000

interface Waiting {
  resolve: (svg: string) => void
  reject: (error: Error) => void
  late: NodeJS.Timeout
}

let thread: { worker: Worker; waiting: Map<number, Waiting>; idle?: NodeJS.Timeout } | null = null
let lastId = 0

/** Renders a scene in a separate thread, because the layout would block the event loop for up to half a second. */
export function renderInThread(scene: VegaSpecWithData): Promise<string> {
  const { worker, waiting, idle } = (thread ??= startThread())
  clearTimeout(idle)
  const id = ++lastId
  return new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => void worker.terminate(), MAX_MS)
    waiting.set(id, { resolve, reject, late })
    worker.postMessage({ id, scene } satisfies RenderTask)
  })
}

function startThread(): NonNullable<typeof thread> {
  const worker = new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } })
  // An idle thread does not keep the process alive.
  worker.unref()
  const started = { worker, waiting: new Map<number, Waiting>() } as NonNullable<typeof thread>
  worker.on('message', (done: RenderTaskResult) => {
    const task = started.waiting.get(done.id)
    if (!task) return
    started.waiting.delete(done.id)
    clearTimeout(task.late)
    if ('svg' in done) task.resolve(done.svg)
    else task.reject(new Error(`chart not rendered: ${done.failed}`))
    if (started.waiting.size === 0) started.idle = setTimeout(() => stopThread(started), KEPT_IDLE_MS).unref()
  })
  const fail = (error: Error) => {
    if (thread === started) thread = null
    for (const { reject, late } of started.waiting.values()) {
      clearTimeout(late)
      reject(error)
    }
    started.waiting.clear()
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('chart not rendered: the thread ended')))
  return started
}

function stopThread(started: NonNullable<typeof thread>): void {
  if (started.waiting.size > 0) return
  if (thread === started) thread = null
  void started.worker.terminate()
}
