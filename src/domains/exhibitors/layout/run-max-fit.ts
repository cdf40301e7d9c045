import { Worker } from 'node:worker_threads'
import { AppError } from '../../../kernel/errors.ts'
import type { Hall, MaxFitLayoutOptions } from './hall.ts'
import type { MaxFitLayout } from './max-fit.ts'

/**
 * URL of the worker thread's file. It has the same extension as this file, because the compiler does not rewrite names of files that are
 * not imported.
 */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? './max-fit-thread.ts' : './max-fit-thread.js', import.meta.url)

const MEMORY_MB = 512
const MAX_MS = 2 * 60_000
/** Maximum number of layouts calculated in parallel, so that they do not take all processors from requests. */
const MAX_THREADS = 2

let running = 0
const waiting: (() => void)[] = []

/** Calculates a layout in a thread of its own, because a large hall takes seconds. */
export async function calculateMaxFitLayoutInThread(hall: Hall, options: MaxFitLayoutOptions): Promise<MaxFitLayout> {
  if (running >= MAX_THREADS) await new Promise<void>((resolve) => waiting.push(resolve))
  running++
  try {
    return await calculate(hall, options)
  } finally {
    running--
    waiting.shift()?.()
  }
}

function calculate(hall: Hall, options: MaxFitLayoutOptions): Promise<MaxFitLayout> {
  const worker = new Worker(THREAD, { workerData: { hall, options }, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } })
  const tooLong = new AppError('limit_exceeded', 'Calculating this layout takes too long. Raise grid, or pass fewer angles')
  const ended = new Promise<MaxFitLayout>((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
    // The thread exits without a message only if it was terminated, because the calculation took too long.
    worker.on('exit', () => reject(tooLong))
  })
  const late = setTimeout(() => void worker.terminate(), MAX_MS)
  return ended.finally(() => {
    clearTimeout(late)
    return worker.terminate()
  })
}
