import { parentPort, workerData } from 'node:worker_threads'
import type { Hall, MaxFitLayoutOptions } from './hall.ts'
import { findMaxFitLayout } from './max-fit.ts'

/** The entry point of the thread in which a layout is calculated. */
const { hall, options } = workerData as { hall: Hall; options: MaxFitLayoutOptions }
parentPort!.postMessage(findMaxFitLayout(hall, options))
