import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../../../kernel/errors.ts'
import { scanFile, type FloorPlanScanRequest } from './scan-file.ts'
import type { ThreadMessage } from './run-in-thread.ts'

/** The entry point of the thread in which a file is read. */
const { bytes, request } = workerData as { bytes: Uint8Array; request: FloorPlanScanRequest }
const send = (message: ThreadMessage) => parentPort!.postMessage(message)

// Silences the console of this thread, because libraries log every fault of a damaged file.
for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = () => {}

try {
  send({ result: await scanFile(bytes, request, (percent) => send({ percent })) })
} catch (error) {
  if (error instanceof AppError) send({ refused: { code: error.code, message: error.message } })
  else send({ failed: (error as Error).stack ?? String(error) })
}
