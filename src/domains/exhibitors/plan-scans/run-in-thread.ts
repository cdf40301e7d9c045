import { Worker } from 'node:worker_threads'
import { AppError, type ErrorCode } from '../../../kernel/errors.ts'
import type { Log } from '../../../kernel/ports.ts'
import type { FloorPlanScanRequest, FloorPlanScanResult } from './scan-file.ts'
import { createFileLimitError, createUnreadableFileError } from './source-drawing.ts'

export type ThreadMessage =
  | { percent: number }
  | { result: FloorPlanScanResult }
  | { refused: { code: ErrorCode; message: string } }
  /** Unexpected error of a file reader. Its text is for the log only. */
  | { failed: string }

/** Memory limit of the thread that reads an uploaded file, which may be malicious. */
const MEMORY_MB = 768
const MAX_MS = 5 * 60_000
/** Maximum growth of the process's memory while a file is read: pictures and decompressed streams are outside of the thread's heap. */
const MAX_GROWTH_BYTES = 1536 * 1024 * 1024
const WATCH_MS = 250

/**
 * URL of the worker thread's file. It has the same extension as this file, because the compiler does not rewrite names of files that are
 * not imported.
 */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? './scan-thread.ts' : './scan-thread.js', import.meta.url)

interface ThreadOptions {
  log: Log
  progress: (percent: number) => void
  memoryMb?: number
}

/** Reads and classifies a floor plan file in a worker thread. If the file cannot be read, throws an `AppError` with a message for users. */
export function scanFloorPlanInThread(
  bytes: Uint8Array,
  request: FloorPlanScanRequest,
  { log, progress, memoryMb = MEMORY_MB }: ThreadOptions,
): Promise<FloorPlanScanResult> {
  const worker = new Worker(THREAD, {
    workerData: { bytes, request },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 64 },
  })
  const ended = new Promise<FloorPlanScanResult>((resolve, reject) => {
    worker.on('message', (message: ThreadMessage) => {
      if ('percent' in message) progress(message.percent)
      else if ('result' in message) resolve(message.result)
      else if ('refused' in message) reject(new AppError(message.refused.code, message.refused.message))
      else {
        log.warn('floor plan not readable', { error: message.failed })
        reject(
          createUnreadableFileError('The file is damaged or uses a feature that cannot be read. Save it again, or as another kind of file'),
        )
      }
    })
    worker.on('error', (error: NodeJS.ErrnoException) => {
      log.warn('floor plan scan stopped', { error: error.message })
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(
        outOfMemory
          ? createFileLimitError('Reading the drawing needs too much memory. Remove layers that are not needed')
          : createUnreadableFileError('The file could not be read'),
      )
    })
    worker.on('exit', () => reject(createUnreadableFileError('The file could not be read')))
  })
  const late = setTimeout(() => void worker.terminate(), MAX_MS)
  const before = process.memoryUsage.rss()
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() - before > MAX_GROWTH_BYTES)
      worker.emit('error', Object.assign(new Error('too much memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }))
  }, WATCH_MS)
  return ended.finally(() => {
    clearTimeout(late)
    clearInterval(watch)
    return worker.terminate()
  })
}
